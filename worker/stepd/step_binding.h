// Resolves --cpu-bind and --gpu-bind to the CPUs and GPUs of each task of a step on a node. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/base/result.h"
#include "common/base/variables.h"
#include "common/job/resources.h"
#include "common/job/step.h"
#include "common/syntax/cpu_bind.h"
#include "common/syntax/gpu_bind.h"
#include "worker/supervisor/cpu_place.h"

namespace cox {

// Returns the CPUs of each task, chosen from the step's CPUs on this node. Empty: the task is not
// bound.
Result<std::vector<IdSet>> cpus_of_tasks(const CpuBind& bind, const std::vector<CpuPlace>& cpus,
                                         std::size_t tasks, std::int64_t cpus_per_task);

// Chooses `count` CPUs for a step from the CPUs of its attempt: those that the fewest other steps
// use. `others`: the CPUs of each other running step.
std::vector<CpuPlace> cpus_of_step(const std::vector<CpuPlace>& attempt, std::size_t count,
                                   const std::vector<IdSet>& others);

class StepBinding {
 public:
  struct Place {
    std::string node;
    // CPUs of the step; empty: none could be claimed; `why` has the reason.
    std::vector<CpuPlace> cpus;
    std::string why;
    bool one_ldom = true;              // the machine has only one NUMA domain
    std::vector<GpuDevice> gpus = {};  // all GPUs of the node
  };

  StepBinding() = default;
  // Reads SLURM_CPU_BIND and SLURM_GPU_BIND from `environment`, that of srun: NAME=value, each with
  // a NUL byte at its end.
  static Result<StepBinding> of(const std::string& environment, const StepLaunch& launch,
                                const Place& place);
  // Returns whether the environment asks to bind tasks to CPUs.
  static bool binds_cpus(const std::string& environment);

  IdSet cpus(std::size_t local) const { return local < cpus_.size() ? cpus_[local] : IdSet{}; }
  // Sets the variables that describe the binding in a task's environment, NAME=value each. `local`:
  // index of the task on this node.
  void put_into(std::vector<std::string>& environment, std::size_t local) const;
  // The text that a task writes about its binding ("verbose"): `before`, its pid, `behind`. If
  // `behind` is empty, the task writes no pid. `usable`: the CPUs of a task that is not bound.
  struct BindingMessage {
    std::string before;
    std::string behind;
  };
  BindingMessage binding_message(std::size_t local, const IdSet& usable) const;

 private:
  Failure bind_gpus(const Variables& v, const StepLaunch& launch, const Place& place);
  std::string visible_gpus(std::size_t local) const;

  std::string node_;
  std::vector<std::int32_t> ranks_;
  std::vector<std::int32_t> devices_;  // the step's GPUs on this node
  std::vector<GpuDevice> node_gpus_;
  std::optional<CpuBind> cpu_;
  std::optional<GpuBind> gpu_;
  std::vector<IdSet> cpus_;  // of each task
  std::vector<IdSet> gpus_;  // GPUs of each task, as indexes into devices_; empty: not bound
};

}  // namespace cox
