// What a job, or a component of a heterogeneous one, asks of nodes: how many, how much of each, and
// which. Part of JobSpec (common/job/job.h), which says all else.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/job/resources.h"

namespace cox {

struct JobSize {
  std::int64_t nodes = 0;  // 0: not asked; admission settles nodes and tasks to at least 1
  std::int64_t tasks = 0;
  bool tasks_asked = false;         // -n was given: SLURM_NTASKS in the batch script
  std::int64_t tasks_per_node = 0;  // 0: not asked
  std::int64_t cpus_per_task = 1;
  bool cpus_per_task_asked = false;
  std::int64_t memory_mb_per_node = 0;  // 0: not asked, the partition's default
  std::string gpu_type;                 // "h200|h100:0.8" (gpu_wish.h); empty: any
  std::int64_t gpus_per_node = 0;
  bool exclusive = false;
  std::string partition;               // empty until admission: the default partition
  std::vector<std::string> nodelist;   // all of these nodes are wanted
  std::string constraint;              // as written (constraint.h)
  std::int32_t gpu_milli = gpu_whole;  // of each of its GPUs; below the whole: of one a node
  std::string gpu_choice;              // when several types would do (gpu_wish.h); empty: as set up
  std::string gres;                    // besides GPUs, on each node (gres.h)
  std::vector<std::string> exclude;    // none of these nodes
  // Of what each node is asked for, other ways to say it (resolve_sizes.h); 0: not asked.
  std::int64_t memory_mb_per_cpu = 0;
  std::int64_t memory_mb_per_gpu = 0;
  std::int64_t gpus = 0;  // of all its nodes
  std::int64_t gpus_per_task = 0;
  std::int64_t cpus_per_gpu = 0;
  std::int64_t tasks_per_gpu = 0;
  bool whole_memory = false;  // --mem=0: all of each of its nodes'
  std::int64_t min_cpus = 0;  // the fewest CPUs on each of its nodes; 0: not asked
  bool contiguous = false;    // its nodes must be consecutive in the cluster's order of nodes
  // --exclusive=user: only jobs of the same user may share its nodes. A cluster runs the jobs of
  // one user, so this is only shown.
  bool exclusive_user = false;
  std::string prefer;  // features, tried before those of `constraint`; empty: none

  // By the names that cox.job has for them.
  template <class Self, class Visit>
  static void named(Self& self, Visit&& visit) {
    visit("nodes", self.nodes);
    visit("tasks", self.tasks);
    visit("tasks_asked", self.tasks_asked);
    visit("tasks_per_node", self.tasks_per_node);
    visit("cpus_per_task", self.cpus_per_task);
    visit("cpus_per_task_asked", self.cpus_per_task_asked);
    visit("memory_mb_per_node", self.memory_mb_per_node);
    visit("gpu_type", self.gpu_type);
    visit("gpus_per_node", self.gpus_per_node);
    visit("exclusive", self.exclusive);
    visit("partition", self.partition);
    visit("nodelist", self.nodelist);
    visit("required_feature", self.constraint);
    visit("gpu_milli", self.gpu_milli);
    visit("gpu_choice", self.gpu_choice);
    visit("gres", self.gres);
    visit("exclude", self.exclude);
    visit("memory_mb_per_cpu", self.memory_mb_per_cpu);
    visit("memory_mb_per_gpu", self.memory_mb_per_gpu);
    visit("gpus", self.gpus);
    visit("gpus_per_task", self.gpus_per_task);
    visit("cpus_per_gpu", self.cpus_per_gpu);
    visit("tasks_per_gpu", self.tasks_per_gpu);
    visit("whole_memory", self.whole_memory);
    visit("min_cpus", self.min_cpus);
    visit("contiguous", self.contiguous);
    visit("exclusive_user", self.exclusive_user);
    visit("preferred_feature", self.prefer);
  }
  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.nodes, self.tasks, self.tasks_asked, self.tasks_per_node, self.cpus_per_task,
          self.cpus_per_task_asked, self.memory_mb_per_node, self.gpu_type, self.gpus_per_node,
          self.exclusive, self.partition, self.nodelist, self.constraint, self.gpu_milli,
          self.gpu_choice, self.gres, self.exclude, self.memory_mb_per_cpu, self.memory_mb_per_gpu,
          self.gpus, self.gpus_per_task, self.cpus_per_gpu, self.tasks_per_gpu, self.whole_memory,
          self.min_cpus, self.contiguous, self.exclusive_user, self.prefer);
  }
  bool operator==(const JobSize&) const = default;
};

}  // namespace cox
