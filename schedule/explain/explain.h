// Why a job waits, in numbers, told by the same values that decided it: one line for a listing, and
// all of it for `cox why`. Called by scheduler.cpp once the pass has judged everybody.
#pragma once

#include <vector>

#include "schedule/model/explain_depth.h"
#include "schedule/model/plan.h"
#include "schedule/pass/pass.h"

namespace cox::schedule {

// Of all that do not start. `decisions`: of all pending jobs, in the order they were made.
std::vector<PendingExplanation> explain(Pass& pass, Now now, const std::vector<Decision>& decisions,
                                        const ExplainDepth& telling);

// And of the suspended jobs that do not go on.
void explain_suspended(const Pass& pass, Now now, const ExplainDepth& telling,
                       std::vector<PendingExplanation>& waiting);

}  // namespace cox::schedule
