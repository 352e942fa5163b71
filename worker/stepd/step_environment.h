// The environment of each task of a step: what srun brought from where it was called, then what the
// job and the step are, which wins. Variables of the job that srun was called in stay as they were.
// Pure; whoever starts the task adds SLURM_TASK_PID.
#pragma once

#include <string>
#include <vector>

#include "common/base/variables.h"
#include "common/job/attempt.h"

namespace cox {

class StepEnvironment {
 public:
  // `environment`: srun's, NAME=value\0 blocks. `folder`: the supervisor's.
  StepEnvironment(const LaunchSpec& job, const GoOrder& go, const StepLaunch& step,
                  const std::string& environment, const std::string& folder);

  // NAME=value each, sorted by name. `local`: which of the launch's ranks.
  std::vector<std::string> of_task(std::size_t local) const;

 private:
  StepLaunch step_;
  std::vector<GpuDevice> node_gpus_;
  Variables common_;  // of all its tasks here
};

}  // namespace cox
