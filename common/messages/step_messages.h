// What clients ask of steps and are answered; see client_messages.h, where they belong to.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/base/ids.h"
#include "common/job/job_state.h"
#include "common/job/step.h"

namespace cox {

// A new step of a job that runs, or, with the same request id, the one that there is: asking again
// also gives the streams anew, should the controller have lost them. Answered with StepShown when
// its state is not the known one, or after wait_ms.
struct CreateStep {
  static constexpr int tag = 75;
  std::string request_id;
  JobId job;
  std::int64_t task = -1;  // as in ShowJob
  StepSpec spec;
  StreamPlace streams;
  JobState known = JobState::Pending;
  std::int64_t wait_ms = 0;
  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.request_id, self.job, self.task, self.spec, self.streams, self.known, self.wait_ms);
  }
};

struct ListSteps {
  static constexpr int tag = 79;
  std::vector<JobId> ids;            // of jobs; empty: all
  std::vector<std::string> tasks{};  // as in ListJobs
  std::string user_name;             // empty: all
  bool ended = false;                // those that have ended too
  StepKey after{{}, -1};             // the page begins behind it
  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.ids, self.tasks, self.user_name, self.ended, self.after);
  }
};

// A refusal begins with this text if the job has not started to run, or has no step yet that a
// signal could reach. The same request may succeed later.
inline constexpr std::string_view job_is_pending = "Job is pending execution";

// Ends one step, or sends a signal: to the steps of jobs, to one of them, to their batch scripts.
// Answered as an act.
struct SignalJobs {
  static constexpr int tag = 78;
  std::vector<JobId> ids;
  std::vector<std::string> tasks{};  // as in ListJobs
  std::int32_t step = -1;            // of each of them this one; -1: all
  std::int32_t signal = 0;           // 0: the step is ended. REQUIRES then: step >= 0
  bool to_steps = true;
  bool to_batch = false;  // as in SignalAttempt, these two
  bool to_children = false;
  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.ids, self.tasks, self.step, self.signal, self.to_steps, self.to_batch,
          self.to_children);
  }
};

// Whoever asked for an allocation needs it no more. Answered as an act.
struct EndAllocation {
  static constexpr int tag = 45;
  JobId id;
  std::int32_t exit_code = 0;  // of what it was for
  std::int32_t exit_signal = 0;
  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.id, self.exit_code, self.exit_signal);
  }
};

// ---- answers ---------------------------------------------------------------------------------

struct StepView {
  Step step;
  std::string user_name;
  std::string partition;
  JobId array_job;  // of its job; 0: of no array
  std::int64_t array_task = -1;
  std::int64_t ran_ms = 0;
  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.step, self.user_name, self.partition, self.array_job, self.array_task, self.ran_ms);
  }
};

struct StepShown {
  static constexpr int tag = 98;
  StepView view;
  std::string waits;              // why it waits, while it is PENDING
  std::int64_t kill_wait_ms = 0;  // time from SIGTERM to SIGKILL at the end
  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.view, self.waits, self.kill_wait_ms);
  }
};

struct StepList {
  static constexpr int tag = 99;
  std::vector<StepView> steps;  // by key
  bool more = false;
  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.steps, self.more);
  }
};

}  // namespace cox
