// Runs the steps of one srun in parallel, one for each component of a heterogeneous job. Each has
// an srun process of its own. For client/io/step/srun.
#pragma once

#include <string>
#include <vector>

#include "client/step/step_plan.h"
#include "common/base/result.h"

namespace cox {

// Returns the highest exit code. `signals` is a signalfd; its signals are forwarded to the
// children, except those from a terminal, which reach the children directly.
Result<int> run_components(const std::vector<StepPart>& parts,
                           const std::vector<std::string>& environment, int signals);

}  // namespace cox
