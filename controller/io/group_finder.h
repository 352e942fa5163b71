// Looks up groups of the host for AllowGroups of partitions
// (controller/turn/controller_groups.cpp). The answer may come from a directory service that hangs,
// so a thread of its own asks for it. A request that names groups waits here for at most
// limits::group_lookup_ms_max; then it goes on without them.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/base/time.h"
#include "common/io/link.h"
#include "controller/change/event.h"

namespace cox {

class GroupFinder {
 public:
  // The end of a lookup wakes the poller. REQUIRES: the poller outlives this object.
  GroupFinder(const ControllerConfig& config, Poller& poller);
  ~GroupFinder();
  GroupFinder(const GroupFinder&) = delete;  // it owns a thread
  GroupFinder& operator=(const GroupFinder&) = delete;

  // Takes a request of the cluster's owner that names groups, and leaves any other to the caller.
  // True: it was taken.
  bool takes(PeerMessage& said, Boot now);
  // Looks the groups up, unless that was done within limits::group_lookup_interval_ms.
  void look_up(const std::vector<std::string>& names, Boot now);

  struct Ready {
    std::vector<PeerMessage> said = {};  // with their groups
    std::optional<GroupsFound> found;    // of look_up()
  };
  Ready turn(Boot now);
  // Drops the requests: their clients repeat them to the next leader.
  void drop_all();

 private:
  struct Shared;  // with the thread
  struct Waiting {
    PeerMessage said;
    Boot until{};
  };
  std::int64_t ask(std::vector<std::string> names);

  std::uint32_t owner_uid_;
  std::shared_ptr<Shared> shared_;
  std::shared_ptr<void> wakes_;
  std::map<std::int64_t, Waiting> waiting_;  // by ticket
  std::map<std::string, Boot> looked_up_;    // when last, by group
  std::optional<std::int64_t> look_up_;      // ticket of the lookup in progress
  std::int64_t next_ticket_ = 1;
  std::size_t in_progress_ = 0;  // lookups
};

}  // namespace cox
