// Looks up groups of the host for AllowGroups of partitions
// (controller/turn/controller_groups.cpp). A directory service may answer late or hang, so the
// lookups run in a thread of their own. An update of a partition that names groups waits here for
// at most limits::group_lookup_ms_max; then it is handled as if the groups did not exist, and is
// refused. Used by controller/io/leader_host.cpp.
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
  GroupFinder(const GroupFinder&) = delete;  // no copies, since the object owns a thread
  GroupFinder& operator=(const GroupFinder&) = delete;

  // Takes the message and returns true if it is a request of the cluster's owner that names groups,
  // and if not too many lookups are in progress. Otherwise leaves the message to the caller.
  bool takes(PeerMessage& incoming, Boot now);
  // Begins to look up those of the groups that were not looked up within
  // limits::group_lookup_interval_ms, unless such a lookup is still in progress.
  void look_up(const std::vector<std::string>& names, Boot now);

  struct Ready {
    // The requests whose groups were looked up, or whose lookup took too long.
    std::vector<PeerMessage> incoming = {};
    std::optional<GroupsFound> found;  // the result of look_up()
  };
  // Returns the requests whose lookup has ended or took too long, and the result of look_up().
  Ready turn(Boot now);
  // Drops the requests that wait; their clients repeat them to the next leader.
  void drop_all();

 private:
  struct Shared;  // what this object and the thread that does the lookups share
  struct Waiting {
    PeerMessage incoming;
    Boot until{};
  };
  std::int64_t ask(std::vector<std::string> names);

  std::uint32_t owner_uid_;
  std::shared_ptr<Shared> shared_;
  std::shared_ptr<void> wakes_;
  std::map<std::int64_t, Waiting> waiting_;  // by ticket
  std::map<std::string, Boot> looked_up_;    // time of the last lookup, by group
  std::optional<std::int64_t> look_up_;      // ticket of the lookup in progress
  std::int64_t next_ticket_ = 1;
  std::size_t in_progress_ = 0;  // number of lookups
};

}  // namespace cox
