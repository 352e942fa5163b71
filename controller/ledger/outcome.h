// Decides what becomes of a job when its attempt is over on every node. What an exit code means
// depends on the request to stop (ARCHITECTURE.md, "Nothing twice, nothing lost"): a job becomes
// COMPLETED only with a proof that its work is done, and exit code 0 after a request to stop is
// none. tests/controller has a table of all cases. Pure.
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

// All checkpoints and steps of the job, those of this attempt included.
struct Known {
  const std::vector<Checkpoint>& checkpoints;
  const std::vector<Step>& steps;
};

// Returns what becomes of the job. `mode`: of its QOS. REQUIRES: the attempt is over on every node.
Outcome outcome_of(const Job& job, const Attempt& attempt, PreemptMode mode, const Known& known);

// Returns whether the job declared that it can save (docs/checkpointing.md has the options). Exit
// code 75 then means "saved, run me again". For other jobs it is a failure, as many programs use it
// as EX_TEMPFAIL.
bool declares_saving(const JobSpec& spec);

// Returns the rank that failed first: an exit code other than 0, and other than 75 if the job
// declared that it can save. Null: none failed.
const RankStatus* first_failed(const JobSpec& spec, const Attempt& attempt);
// Returns why the exit is a failure: "rank 3 exited with 1".
std::string failure_text(const RankStatus& rank);
std::string exit_text(const RankStatus& rank);  // "rank 3 exited with 1"

}  // namespace cox
