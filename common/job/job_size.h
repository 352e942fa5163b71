// What a job, or one component of a heterogeneous job, requests: how many nodes, how much of each,
// and which. It is a part of JobSpec (common/job/job.h).
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <vector>

#include "common/base/fields.h"
#include "common/job/resources.h"

namespace cox {

struct JobSize {
  std::int64_t nodes = 0;  // 0: not requested; admission sets nodes and tasks to at least 1
  std::int64_t tasks = 0;
  bool tasks_asked = false;  // whether --ntasks was given: a batch script then gets SLURM_NTASKS
  std::int64_t tasks_per_node = 0;  // 0: not asked
  std::int64_t cpus_per_task = 1;
  bool cpus_per_task_asked = false;
  std::int64_t memory_mb_per_node = 0;  // 0: not requested; the partition's default applies
  std::string gpu_type;  // accepted types, "h200|h100:0.8" (gpu_wish.h); empty: any type
  std::int64_t gpus_per_node = 0;
  bool exclusive = false;
  std::string partition;  // list of partitions; if empty, admission sets the default one
  std::vector<std::string> nodelist;  // nodes that the job must have, all of them
  std::string constraint;             // as written (constraint.h)
  // Thousandths of each GPU. Less than gpu_whole is a part of one GPU, the only one that the job
  // gets on a node.
  std::int32_t gpu_milli = gpu_whole;
  // Preference among accepted types: "balanced", "cost" or "speed"; empty: that of the partition.
  std::string gpu_choice;
  std::string gres;                  // other resources of each node, without GPUs (gres.h)
  std::vector<std::string> exclude;  // nodes that the job must not get
  // Other ways to request resources of each node; resolve_sizes.h converts them. 0: not requested.
  std::int64_t memory_mb_per_cpu = 0;
  std::int64_t memory_mb_per_gpu = 0;
  std::int64_t gpus = 0;  // GPUs of all nodes together
  std::int64_t gpus_per_task = 0;
  std::int64_t cpus_per_gpu = 0;
  std::int64_t tasks_per_gpu = 0;
  bool whole_memory = false;  // all memory of each node, requested with --mem=0
  std::int64_t min_cpus = 0;  // at least so many CPUs on each node; 0: not requested
  bool contiguous = false;    // its nodes must be neighbours in the cluster's order of nodes
  // Only jobs of the same user may share its nodes, requested with --exclusive=user. A cluster runs
  // the jobs of one user, so the value is only shown.
  bool exclusive_user = false;
  std::string prefer;  // features that are used if possible, otherwise `constraint`; empty: none

  COX_FIELDS(nodes, tasks, tasks_asked, tasks_per_node, cpus_per_task, cpus_per_task_asked,
             memory_mb_per_node, gpu_type, gpus_per_node, exclusive, partition, nodelist,
             constraint, gpu_milli, gpu_choice, gres, exclude, memory_mb_per_cpu, memory_mb_per_gpu,
             gpus, gpus_per_task, cpus_per_gpu, tasks_per_gpu, whole_memory, min_cpus, contiguous,
             exclusive_user, prefer);
  auto operator<=>(const JobSize&) const = default;
};

}  // namespace cox
