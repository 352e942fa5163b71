// The newest events of jobs, for clients that follow them (`cox events`). Events are added after
// their turn is committed, so no client gets an event that could still be lost. A new leader begins
// with an empty stream; the whole history is in the store.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "common/messages/event_messages.h"
#include "controller/change/change.h"

namespace cox {

class Cluster;

// An event, with the values by which followers select events.
struct StreamedEvent {
  JobEvent event;
  JobId array;  // the id of its job's array; without one, the job's id
  std::string job_name;
  std::string user_name;
};

// Returns the events among the changes of the current turn. Takes the names of users and jobs from
// memory now, because memory may forget the jobs in a later turn.
std::vector<StreamedEvent> events_of(const std::vector<Change>& changes, const Cluster& cluster);

class EventStream {
 public:
  static constexpr std::size_t kept_max = 10'000;  // events

  void add(std::vector<StreamedEvent> events);
  // Returns the events with numbers above `ask.after`, at most limits::page_rows_max. `term`: the
  // term of this leadership.
  EventPage page(const FollowEvents& ask, Term term) const;

 private:
  std::deque<StreamedEvent> newest_;
  std::int64_t last_ = 0;  // the number of the newest event
};

}  // namespace cox
