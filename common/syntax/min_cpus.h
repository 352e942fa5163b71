// The option --mincpus: the fewest CPUs that a job gets on each of its nodes, as in Slurm (measured
// there: `-n1 --mincpus=3` gets 3 CPUs). In Coxswain, CPUs belong to tasks, so the option raises
// the number of CPUs of each task. Admission and the scheduler use it.
#pragma once

#include <algorithm>
#include <cstdint>

namespace cox {

// Returns the number of CPUs of each task: cpus_per_task, or more if that is needed so that each
// node, with its tasks spread evenly, has at least min_cpus CPUs. REQUIRES: tasks ≥ nodes ≥ 1.
inline std::int64_t cpus_per_task_with(std::int64_t min_cpus, std::int64_t cpus_per_task,
                                       std::int64_t tasks, std::int64_t nodes) {
  const std::int64_t fewest_tasks = std::max<std::int64_t>(tasks / nodes, 1);
  return std::max(cpus_per_task, (min_cpus + fewest_tasks - 1) / fewest_tasks);
}

}  // namespace cox
