// The scheduling pass: SchedulerInput from the cluster, Plan from schedule/, then starts and
// preemptions made true. Pure but for the Reaction.
#pragma once

#include <optional>

#include "controller/ledger/reaction.h"

namespace cox {

// Runs one part of a pass and carries out its plan. Returns true if the pass is over and no other
// one is due at once.
bool run_pass_part(Reaction& r);
// Brings pending reasons up to date: those of the first jobs in the queue, and that of `focus`.
void explain_pending_jobs(Reaction& r, std::optional<JobId> focus);

}  // namespace cox
