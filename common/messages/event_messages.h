// Requests about the events of jobs: the history of one job, and the events of all jobs as they
// happen.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/base/fields.h"
#include "common/base/ids.h"
#include "common/job/job_event.h"

namespace cox {

struct ShowHistory {
  static constexpr int tag = 54;
  JobId id;
  std::int64_t after_sequence = 0;
  std::int64_t task = -1;  // as in ShowJob
  std::string tasks{};     // likewise
  COX_FIELDS(id, after_sequence, task, tasks);
};

struct HistoryPage {
  static constexpr int tag = 84;
  std::vector<JobEvent> events;  // oldest first; for an array, first all events of one row
  bool more = false;
  // For an array: the job of each event, "17_4". Otherwise empty.
  std::vector<std::string> job_names{};
  COX_FIELDS(events, more, job_names);
};

// Returns the events of jobs after a known one. If there are none, waits for the next one, at most
// wait_ms. Each leader numbers the events from 1, in the order in which they happen.
struct FollowEvents {
  static constexpr int tag = 123;
  static constexpr int since_version = 2;
  Term term;               // term of the leader that numbered `after`; 0: none known yet
  std::int64_t after = 0;  // number of the last known event; -1: only events after this request
  std::int64_t wait_ms = 0;
  // Events of these jobs, or of all tasks of these arrays; empty: of all jobs.
  std::vector<JobId> ids;
  std::string user_name;  // events of this user's jobs; empty: of all users
  COX_FIELDS(term, after, wait_ms, ids, user_name);
};

struct EventPage {
  static constexpr int tag = 124;
  static constexpr int since_version = 2;
  Term term;
  std::int64_t last = 0;               // number of the last event, the next request's `after`
  std::vector<JobEvent> events;        // oldest first
  std::vector<std::string> job_names;  // the job of each event, "17_4"
  // Events between `after` and this page are lost: the controller no longer has them.
  bool missed = false;
  COX_FIELDS(term, last, events, job_names, missed);
};

}  // namespace cox
