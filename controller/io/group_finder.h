// Looks up groups of the host for AllowGroups of partitions
// (controller/turn/controller_groups.cpp). A directory service may answer late or hang, so the
// lookups run in a thread of their own. An update of a partition that names groups waits here for
// at most limits::group_lookup_ms_max; then it is handled as if the groups did not exist, and is
// refused. While the groups are looked up for the first time after the start, submissions wait here
// as long: nobody is known to be a member yet. Used by controller/io/leader_host.cpp.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
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
  // and if not too many lookups are in progress; or if it submits or changes jobs during the first
  // lookup. Otherwise leaves the message to the caller.
  bool takes(PeerMessage& incoming, Boot now);
  // Begins to look up those of the groups that were not looked up within
  // limits::group_lookup_interval_ms, unless such a lookup is still in progress. `are_all`: no
  // further groups will come, since the controller has loaded its partitions.
  void look_up(const std::vector<std::string>& names, bool are_all, Boot now);

  struct Ready {
    // The requests whose groups were looked up, or whose lookup took too long.
    std::vector<PeerMessage> incoming = {};
    std::optional<GroupsFound> found;  // the result of look_up()
  };
  // Returns the requests whose lookup has ended or took too long, and the result of look_up().
  Ready turn(Boot now);
  // Returns the requests that wait. The next first lookup begins.
  std::vector<PeerMessage> drop_all();

 private:
  struct Shared;  // what this object and the thread that does the lookups share
  struct Waiting {
    PeerMessage incoming;
    Boot until{};
  };
  std::int64_t ask(std::vector<std::string> names);
  bool is_first_lookup_open(Boot now) const;

  std::uint32_t owner_uid_;
  std::shared_ptr<Shared> shared_;
  std::shared_ptr<void> wakes_;
  std::map<std::int64_t, Waiting> waiting_;  // by ticket
  std::map<std::string, Boot> looked_up_;    // time of the last lookup, by group
  std::deque<Waiting> held_;                 // requests that wait for the end of the first lookup
  std::size_t held_bytes_ = 0;
  // When the first lookup counts as ended; nothing: look_up() has not got all groups yet.
  std::optional<Boot> first_until_;
  std::set<std::string> unknown_;        // the groups that look_up() got last
  std::set<std::string> missing_;        // groups that a lookup has not found
  std::optional<std::int64_t> look_up_;  // ticket of the lookup in progress
  std::int64_t next_ticket_ = 1;
  std::size_t in_progress_ = 0;  // number of lookups
};

}  // namespace cox
