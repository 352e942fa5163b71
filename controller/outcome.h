// How an attempt that is over on every node ends its job. Pure, and a table in its test: what an
// exit means depends on what was asked (architecture.md, "A checkpoint is a fact", 6).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/attempt.h"
#include "common/job.h"
#include "common/qos.h"

namespace cox {

struct Outcome {
  Trigger trigger = Trigger::Requeued;
  std::int32_t exit_code = 0;
  std::int32_t exit_signal = 0;
  std::string why;
};

// `mode`: of its QOS. `checkpoints`: of the job, those of this attempt among them.
Outcome outcome_of(const Job& job, const Attempt& attempt, PreemptMode mode,
                   const std::vector<Checkpoint>& checkpoints = {});

// The rank that failed first, if any did: neither 0 nor "saved" (75).
const RankStatus* first_failed(const Attempt& attempt);
std::string exit_text(const RankStatus& rank);  // "rank 3 exited with 1"

}  // namespace cox
