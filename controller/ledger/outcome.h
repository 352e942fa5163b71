// How an attempt that is over on every node ends its job. Pure, and a table in its test: what an
// exit means depends on what was asked (ARCHITECTURE.md, "Nothing twice, nothing lost").
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/cluster/qos.h"
#include "common/job/attempt.h"
#include "common/job/job.h"
#include "common/job/step.h"

namespace cox {

struct Outcome {
  Trigger trigger = Trigger::Requeued;
  std::int32_t exit_code = 0;
  std::int32_t exit_signal = 0;
  std::string why;
};

// What else is known of the job. Those of this attempt are among them.
struct Known {
  const std::vector<Checkpoint>& checkpoints;
  const std::vector<Step>& steps;
};

// `mode`: of its QOS.
Outcome outcome_of(const Job& job, const Attempt& attempt, PreemptMode mode, const Known& known);

// Whether the job declared that it can save: exit code 75 then means "saved, run me again", and is
// a failure otherwise (it is also EX_TEMPFAIL of many programs). docs/checkpointing.md has the
// options.
bool declares_saving(const JobSpec& spec);

// Returns the rank that failed first: an exit code other than 0, and other than 75 if the job
// declared that it can save. Null: none failed.
const RankStatus* first_failed(const JobSpec& spec, const Attempt& attempt);
// Returns why the exit is a failure: "rank 3 exited with 1".
std::string failure_text(const RankStatus& rank);
std::string exit_text(const RankStatus& rank);  // "rank 3 exited with 1"

}  // namespace cox
