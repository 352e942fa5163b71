// What follows for jobs that wait for others when one of those has begun or ended. Pure but for the
// Reaction.
#pragma once

#include "controller/ledger/reaction.h"

namespace cox {

// A job that can never start, if it is to end then; else it is kept why it waits on. Nothing
// happens to others.
void end_if_hopeless(Reaction& r, JobId id);

// Judges those that wait for what has come, and tells those that wait in vain untold why; some at a
// time, since one end may release very many.
void judge_dependants(Reaction& r);

}  // namespace cox
