// Updates jobs with dependencies when a job that they depend on has begun or ended. Pure but for
// the Reaction.
#pragma once

#include "controller/ledger/reaction.h"

namespace cox {

// If the job's dependencies can never be met: ends the job if --kill-on-invalid-dep or
// kill_invalid_depend says so; otherwise stores its pending reason. Does nothing to other jobs.
void end_if_hopeless(Reaction& r, JobId id);

// Checks jobs whose dependencies may have changed, and stores the pending reasons of jobs that can
// never start. Stops in each turn after terms_per_turn_max dependencies, since one end may release
// very many jobs; the next turn continues.
void update_dependants(Reaction& r);

}  // namespace cox
