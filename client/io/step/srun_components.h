// Steps of one srun beside each other, each on a component of a heterogeneous job: every one has an
// srun of its own. For client/io/step/srun.
#pragma once

#include <string>
#include <vector>

#include "client/step/step_plan.h"
#include "common/base/result.h"

namespace cox {

// The highest exit code of all. `signals`: a descriptor of those that are handed on. What a
// terminal sends reaches them without us.
Result<int> run_beside(const std::vector<StepPart>& parts,
                       const std::vector<std::string>& environment, int signals);

}  // namespace cox
