// The environment of one task of a step: what srun brought from where it was called, then what the
// job and the step are, which wins. Variables of the job that srun was called in stay as they were.
// Pure; whoever starts the task adds SLURM_TASK_PID.
#pragma once

#include <string>
#include <vector>

#include "common/attempt.h"

namespace cox {

// NAME=value each, sorted by name. `local`: which of the launch's ranks. `folder`: the
// supervisor's.
std::vector<std::string> step_environment(const LaunchSpec& job, const GoOrder& go,
                                          const StepLaunch& step, const std::string& environment,
                                          std::size_t local, const std::string& folder);

}  // namespace cox
