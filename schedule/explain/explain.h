// Explains why jobs wait, with numbers taken from the pass that decided it: in one line for
// listings, in several for `cox why`. Called by scheduler.cpp after a pass.
#pragma once

#include <vector>

#include "schedule/model/explain_depth.h"
#include "schedule/model/plan.h"
#include "schedule/pass/pass.h"

namespace cox::schedule {

// Explains the jobs that do not start. `decisions`: those of all pending jobs, in the order of the
// pass.
std::vector<PendingExplanation> explain(Pass& pass, Now now, const std::vector<Decision>& decisions,
                                        const ExplainDepth& explain_depth);

// Adds the explanations of the suspended jobs that are not resumed.
void explain_suspended(const Pass& pass, Now now, const ExplainDepth& explain_depth,
                       std::vector<PendingExplanation>& waiting);

}  // namespace cox::schedule
