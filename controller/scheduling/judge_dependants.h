// What follows for jobs that wait for others when one of those has begun or ended. Pure but for the
// Reaction.
#pragma once

#include "controller/ledger/reaction.h"

namespace cox {

// If the job can never start: ends it, if its submission or kill_invalid_depend says so; else
// stores why it waits. Does nothing to other jobs.
void end_if_hopeless(Reaction& r, JobId id);

// Judges jobs whose dependencies may have changed, and stores why hopeless jobs wait. A bounded
// number each turn, since one end may release very many.
void judge_dependants(Reaction& r);

}  // namespace cox
