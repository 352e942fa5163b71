// The scheduling pass: SchedulerInput from the cluster, Plan from schedule/, then starts and
// preemptions made true. Pure but for the Reaction.
#pragma once

#include <optional>

#include "controller/ledger/reaction.h"

namespace cox {

// The pass: SchedulerInput from the cluster, Plan from schedule/, then starts and preemptions made
// true. A part of one, so that no answer waits for long behind it. Whether the pass is over, and no
// other is due at once.
bool run_pass_part(Reaction& r);
// Brings the verdicts of waiting jobs up to date, for somebody who looks: those in front, and the
// one asked for.
void explain_pending_jobs(Reaction& r, std::optional<JobId> focus);

}  // namespace cox
