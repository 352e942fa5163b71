// Runs scheduling passes: the feed updates the engine, schedule/ makes a Plan, and this module
// carries out its starts, preemptions and resumes. Also runs the passes that explain pending jobs.
// Pure but for the Reaction.
#pragma once

#include <optional>

#include "controller/ledger/reaction.h"

namespace cox {

// Runs one part of a pass and carries out its plan. Returns true if the pass is over and no other
// pass is due at once.
bool run_pass_part(Reaction& r);
// Updates the pending reasons: in full for the first jobs in the queue and for `focus`, a queued or
// suspended job.
void explain_pending_jobs(Reaction& r, std::optional<JobId> focus);

}  // namespace cox
