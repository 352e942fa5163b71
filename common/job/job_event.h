// One line of a job's history (table cox.job_event, append-only): who, what, why, when.
#pragma once

#include <cstdint>
#include <string>

#include "common/base/ids.h"
#include "common/base/time.h"
#include "common/job/job_state.h"

namespace cox {

struct JobEvent {
  JobId job;
  AttemptNumber attempt;  // 0: before the first
  Wall at{};
  std::string what;  // "state" for a change of state; "checkpoint", "node", "stop", ... else
  JobState state = JobState::Pending;  // the job's state once this was true
  std::string why;                     // a sentence for people
  std::string actor;                   // "user root", "scheduler", "node n1", "controller"
  std::int64_t sequence = 0;           // given by the database

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.job, self.attempt, self.at, self.what, self.state, self.why, self.actor,
          self.sequence);
  }
  bool operator==(const JobEvent&) const = default;
};

}  // namespace cox
