// One event of a job's history (table cox.job_event, append-only).
#pragma once

#include <cstdint>
#include <string>

#include "common/base/fields.h"
#include "common/base/ids.h"
#include "common/base/time.h"
#include "common/job/job_state.h"

namespace cox {

struct JobEvent {
  JobId job;
  AttemptNumber attempt;  // the job's attempt at that time; 0: none yet
  Wall at{};
  std::string what;  // "state" for a change of state, or "checkpoint", "node", "stop", ...
  JobState state = JobState::Pending;  // the state of the job after the event
  std::string why;                     // explanation, a sentence for people
  std::string actor;          // who caused it: "user root", "scheduler", "node n1", "controller"
  std::int64_t sequence = 0;  // number of the row; the database assigns it

  COX_FIELDS(job, attempt, at, what, state, why, actor, sequence);
  bool operator==(const JobEvent&) const = default;
};

}  // namespace cox
