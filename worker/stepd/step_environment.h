// The environment of each task of a step: srun's own environment, overridden by the variables of
// the job and the step. All other variables of srun's environment are kept, also those of another
// job in which srun was called. Pure; SLURM_TASK_PID is added when the task starts.
#pragma once

#include <string>
#include <vector>

#include "common/base/variables.h"
#include "common/job/attempt.h"

namespace cox {

class StepEnvironment {
 public:
  // `environment`: srun's; NAME=value, each with a NUL byte at its end. `folder`: the supervisor's.
  StepEnvironment(const LaunchSpec& job, const GoOrder& go, const StepLaunch& step,
                  const std::string& environment, const std::string& folder);

  // Returns a task's variables, NAME=value each, sorted by name. `local`: index into launch.ranks.
  std::vector<std::string> of_task(std::size_t local) const;

 private:
  StepLaunch step_;
  std::vector<GpuDevice> node_gpus_;
  Variables common_;  // variables that all tasks on this node share
};

}  // namespace cox
