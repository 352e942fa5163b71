// srun --bcast: the program is copied to every node of the job before the step begins, by a step of
// its own as sbcast makes it (client/slurm/sbcast.h), and the tasks run the copy.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "client/step_plan.h"
#include "common/result.h"

namespace cox {

// How many nodes the job has, while it runs.
Result<std::int64_t> nodes_of_job(const std::string& job);

// Runs a step to its end; its exit code.
using RunStep = std::function<Result<int>(StepPlan)>;

// REQUIRES: the plan asks for --bcast. Then its command names the copy.
Failure copy_program(StepPlan& plan, const SubmitSurroundings& around, const RunStep& run_step);

}  // namespace cox
