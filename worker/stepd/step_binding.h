// What the tasks of a step on one node are bound to: --cpu-bind and --gpu-bind, settled. Pure.
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

// The CPUs of each of so many tasks, of those that the step has here. Empty: it is not bound.
Result<std::vector<IdSet>> cpus_of_tasks(const CpuBind& bind, const std::vector<CpuPlace>& cpus,
                                         std::size_t tasks, std::int64_t cpus_per_task);

// The CPUs a step takes of its attempt's: those that the fewest of the others there have.
// `others`: the CPUs of each step that runs beside it.
std::vector<CpuPlace> cpus_of_step(const std::vector<CpuPlace>& attempt, std::size_t count,
                                   const std::vector<IdSet>& others);

class StepBinding {
 public:
  struct Place {
    std::string node;
    std::vector<CpuPlace> cpus;  // of the step; empty: none could be had, and `why`
    std::string why;
    bool one_ldom = true;              // all of the machine
    std::vector<GpuDevice> gpus = {};  // all of the node
  };

  StepBinding() = default;
  // By what srun says in SLURM_CPU_BIND and SLURM_GPU_BIND of the environment: NAME=value\0 blocks.
  static Result<StepBinding> of(const std::string& environment, const StepLaunch& launch,
                                const Place& place);
  // Whether CPUs are wanted at all.
  static bool binds_cpus(const std::string& environment);

  IdSet cpus(std::size_t local) const { return local < cpus_.size() ? cpus_[local] : IdSet{}; }
  // Sets, or sets anew, the task's variables: NAME=value each.
  void put_into(std::vector<std::string>& environment, std::size_t local) const;
  // What a task tells when it is asked to: before its pid, and behind it. Nothing behind: without
  // its pid. `usable`: what it may run on when it is not bound.
  struct Told {
    std::string before;
    std::string behind;
  };
  Told told(std::size_t local, const IdSet& usable) const;

 private:
  Failure bind_gpus(const Variables& v, const StepLaunch& launch, const Place& place);
  std::string gpus_told(std::size_t local) const;

  std::string node_;
  std::vector<std::int32_t> ranks_;
  std::vector<std::int32_t> devices_;  // of the step, here
  std::vector<GpuDevice> node_gpus_;
  std::optional<CpuBind> cpu_;
  std::optional<GpuBind> gpu_;
  std::vector<IdSet> cpus_;  // of each task
  std::vector<IdSet> gpus_;  // of each task, counted among the step's; empty: as ever
};

}  // namespace cox
