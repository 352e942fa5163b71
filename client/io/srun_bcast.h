// srun --bcast: copies the program to every node of the job before the step begins. A separate step
// copies it, as for sbcast (client/slurm/sbcast.h). The tasks run the copy.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "client/step_plan.h"
#include "common/result.h"

namespace cox {

// Returns the number of nodes of a running job.
Result<std::int64_t> nodes_of_job(const std::string& job);

// Runs a step to its end and returns its exit code.
using RunStep = std::function<Result<int>(StepPlan)>;

// Copies the program, and makes the plan's command name the copy. REQUIRES: the plan has --bcast.
Failure copy_program(StepPlan& plan, const SubmitSurroundings& around, const RunStep& run_step);

}  // namespace cox
