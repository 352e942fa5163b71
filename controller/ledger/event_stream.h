// The newest events of jobs, for clients that follow them (`cox events`). Filled as turns become
// true, so nobody hears of what could still be lost; a new leader begins with an empty one. The
// whole history is in the store.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "common/messages/event_messages.h"
#include "controller/change/change.h"

namespace cox {

class Cluster;

// An event, with what followers choose by.
struct StreamedEvent {
  JobEvent event;
  JobId array;  // its array's id, or its own
  std::string job_name;
  std::string user_name;
};

// Those among the changes. Before the turn is committed: a job may be forgotten with it.
std::vector<StreamedEvent> events_of(const std::vector<Change>& changes, const Cluster& cluster);

class EventStream {
 public:
  static constexpr std::size_t kept_max = 10'000;  // events

  void add(std::vector<StreamedEvent> events);
  // At most limits::page_rows_max events. `term`: of whoever leads now.
  EventPage page(const FollowEvents& ask, Term term) const;

 private:
  std::deque<StreamedEvent> newest_;
  std::int64_t last_ = 0;  // the number of the last of them
};

}  // namespace cox
