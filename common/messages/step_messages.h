// The requests of clients about steps, and the replies. client_messages.h includes this file.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/base/fields.h"
#include "common/base/ids.h"
#include "common/job/job_state.h"
#include "common/job/step.h"

namespace cox {

// Creates a step of a running job. If it is sent again with the same request id, it creates no
// second step, but the StreamPlace is used, because a new leader does not have it. The reply is
// StepShown, sent when the step's state differs from `known`, or after wait_ms.
struct CreateStep {
  static constexpr int tag = 75;
  std::string request_id;
  JobId job;
  std::int64_t task = -1;  // as in ShowJob
  StepSpec spec;
  StreamPlace streams;
  JobState known = JobState::Pending;
  std::int64_t wait_ms = 0;
  COX_FIELDS(request_id, job, task, spec, streams, known, wait_ms);
};

struct ListSteps {
  static constexpr int tag = 79;
  std::vector<JobId> ids;            // only steps of these jobs; empty: of all
  std::vector<std::string> tasks{};  // as in ListJobs
  std::string user_name;             // empty: all
  bool ended = false;                // also list steps that have ended
  StepKey after{{}, -1};             // last step of the page before; number -1: the first page
  COX_FIELDS(ids, tasks, user_name, ended, after);
};

// How a refusal of SignalJobs begins if the job does not run yet, or has no step yet that the
// signal could reach. The same request may succeed later.
inline constexpr std::string_view job_is_pending = "Job is pending execution";
// How a refusal of SignalJobs begins if the controller has just started, and a node of the job has
// not reported to it yet. No node has got the signal. The same request may succeed later.
inline constexpr std::string_view node_is_unheard = "Job's nodes have not all reported yet";

// Ends one step of a job, or sends a signal to steps of jobs or to their batch scripts. The reply
// is Acted.
struct SignalJobs {
  static constexpr int tag = 78;
  std::vector<JobId> ids;
  std::vector<std::string> tasks{};  // as in ListJobs
  std::int32_t step = -1;            // number of the step in each job; -1: all steps
  std::int32_t signal = 0;  // 0: end the step, which requires step >= 0; SIGKILL ends it, too
  bool to_steps = true;     // if all steps are meant, the ranks of a gang get the signal too
  bool to_batch = false;    // to_batch, to_children: as in SignalAttempt
  bool to_children = false;
  COX_FIELDS(ids, tasks, step, signal, to_steps, to_batch, to_children);
};

// Ends an allocation whose client (salloc, srun) does not need it any more. The reply is Acted.
struct EndAllocation {
  static constexpr int tag = 45;
  JobId id;
  std::int32_t exit_code = 0;  // how the client's command ended
  std::int32_t exit_signal = 0;
  COX_FIELDS(id, exit_code, exit_signal);
};

// ---- replies ---------------------------------------------------------------------------------

struct StepView {
  Step step;
  std::string user_name;
  std::string partition;
  JobId array_job;  // array of the job; 0: none
  std::int64_t array_task = -1;
  std::int64_t ran_ms = 0;
  COX_FIELDS(step, user_name, partition, array_job, array_task, ran_ms);
};

struct StepShown {
  static constexpr int tag = 98;
  StepView view;
  std::string waits;              // its pending reason
  std::int64_t kill_wait_ms = 0;  // time from SIGTERM to SIGKILL when the step is ended
  std::string warning;            // what the user has to know of its start; empty: nothing
  COX_FIELDS(view, waits, kill_wait_ms, warning);
};

struct StepList {
  static constexpr int tag = 99;
  std::vector<StepView> steps;  // by key
  bool more = false;
  COX_FIELDS(steps, more);
};

}  // namespace cox
