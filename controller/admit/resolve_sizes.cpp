#include "controller/admit/resolve_sizes.h"

#include <algorithm>

#include "common/syntax/min_cpus.h"
#include "controller/admit/partition_choice.h"
#include "controller/limits/partitions.h"

namespace cox {
namespace {

std::int64_t divided_up(std::int64_t whole, std::int64_t by) {
  return (whole + by - 1) / by;
}

// Returns the refusal of GPUs that cannot be divided evenly. `how`: "among 3 nodes".
Refusal uneven(std::int64_t gpus, const std::string& how) {
  return {std::to_string(gpus) + " GPUs cannot be divided evenly " + how,
          "ask for the same number on each: --gpus-per-node, or --gpus-per-task"};
}

// Returns the memory of the largest node, in MiB, that the job could get. A job that asks for all
// memory of its nodes (--mem=0) counts as so much for each node.
std::int64_t largest_memory(const Cluster& cluster, const ParsedSpec& s) {
  std::int64_t most = 0;
  for (const PartitionConfig* partition : partitions_of(cluster.config(), s.terms->partitions))
    for (const auto& [name, node] : cluster.nodes().all())
      if (partition->nodes.empty() ||
          std::ranges::find(partition->nodes, name) != partition->nodes.end())
        most = std::max(most, node.total.memory_mb);
  return most;
}

// Computes the CPUs of each task. It runs again after nodes or tasks change, so it keeps only
// values that the user asked for.
void resolve_cpus(JobSpec& s) {
  if (s.cpus_per_gpu > 0)
    s.cpus_per_task = divided_up(s.cpus_per_gpu * s.gpus_per_node, divided_up(s.tasks, s.nodes));
  else if (s.min_cpus > 0 && !s.cpus_per_task_asked)
    s.cpus_per_task = 1;
  s.cpus_per_task = cpus_per_task_with(s.min_cpus, s.cpus_per_task, s.tasks, s.nodes);
}

void resolve_memory(const Cluster& cluster, ParsedSpec& s) {
  const std::int64_t cpus = s.cpus_per_task * divided_up(s.tasks, s.nodes);
  if (s.whole_memory) {
    s.memory_mb_per_node = largest_memory(cluster, s);
  } else if (s.memory_mb_per_cpu > 0) {
    s.memory_mb_per_node = s.memory_mb_per_cpu * cpus;
  } else if (s.memory_mb_per_gpu > 0) {
    s.memory_mb_per_node = s.memory_mb_per_gpu * s.gpus_per_node;
  } else if (s.memory_mb_per_node == 0) {
    s.memory_mb_per_node = memory_mb_per_cpu_default(cluster.config(), s) * cpus;
  }
}

}  // namespace

Failure check_asked_sizes(const JobSpec& s) {
  const int ways = (s.whole_memory ? 1 : 0) + (s.memory_mb_per_cpu > 0 ? 1 : 0) +
                   (s.memory_mb_per_gpu > 0 ? 1 : 0);
  if (ways > 1)
    return Refusal{"--mem, --mem-per-cpu, and --mem-per-gpu are mutually exclusive",
                   "ask for memory in one way"};
  const bool gpus = s.gpus > 0 || s.gpus_per_node > 0 || s.gpus_per_task > 0 || s.tasks_per_gpu > 0;
  if ((s.memory_mb_per_gpu > 0 || s.cpus_per_gpu > 0) && !gpus)
    return Refusal{"--mem-per-gpu and --cpus-per-gpu need GPUs, and the job asks for none",
                   "ask for GPUs, like --gpus=4"};
  if (s.cpus_per_gpu > 0 && s.cpus_per_task_asked)
    return Refusal{"--cpus-per-task and --cpus-per-gpu are mutually exclusive",
                   "ask for CPUs in one way"};
  if (s.tasks_per_gpu > 0 && s.gpus_per_task > 0)
    return Refusal{"--ntasks-per-gpu and --gpus-per-task are mutually exclusive",
                   "give only one of them"};
  if (s.gpu_milli < gpu_whole && (s.gpus > 0 || s.gpus_per_task > 0 || s.tasks_per_gpu > 0))
    return Refusal{"the job asks for a part of a GPU on each node, and for whole GPUs, too",
                   "ask for only one of them"};
  for (const std::string& node : s.nodelist)
    if (std::ranges::find(s.exclude, node) != s.exclude.end())
      return Refusal{"node " + node + " is in --nodelist and in --exclude", "leave it out of one"};
  return std::nullopt;
}

Failure resolve_counts(JobSpec& s) {
  const bool tasks_open = s.tasks == 0 && s.tasks_per_node == 0;
  if (s.tasks_per_gpu > 0) {
    if (s.tasks > 0 && s.gpus == 0 && s.gpus_per_node == 0)
      s.gpus = divided_up(s.tasks, s.tasks_per_gpu);
    if (tasks_open && s.gpus_per_node > 0) s.tasks_per_node = s.tasks_per_gpu * s.gpus_per_node;
    if (tasks_open && s.gpus > 0) {
      s.tasks = s.tasks_per_gpu * s.gpus;
      // Steps of the job then have so many tasks by default, as if the user had set --ntasks.
      s.tasks_asked = true;
    }
  }
  if (s.gpus_per_task > 0 && tasks_open) {
    const std::int64_t of = std::max(s.gpus, s.gpus_per_node);
    if (of % s.gpus_per_task != 0)
      return uneven(of, std::to_string(s.gpus_per_task) + " to a task");
    (s.gpus > 0 ? s.tasks : s.tasks_per_node) = of / s.gpus_per_task;
    if (s.gpus > 0) s.tasks_asked = true;
  }
  if (s.gpus_per_task > 0 && s.gpus > 0 && s.gpus < s.tasks * s.gpus_per_task)
    return Refusal{"--gpus=" + std::to_string(s.gpus) + " is less than " + std::to_string(s.tasks) +
                       " tasks with " + std::to_string(s.gpus_per_task) + " GPUs each take",
                   "leave --gpus out"};
  if (s.gpus > 0 && s.gpus_per_node > 0) {
    if (s.gpus % s.gpus_per_node != 0)
      return uneven(s.gpus, std::to_string(s.gpus_per_node) + " to a node");
    const std::int64_t nodes = s.gpus / s.gpus_per_node;
    if (s.nodes > 0 && s.nodes != nodes)
      return Refusal{"--gpus=" + std::to_string(s.gpus) + " on " + std::to_string(s.nodes) +
                         " nodes with " + std::to_string(s.gpus_per_node) +
                         " each is a contradiction",
                     "leave one of the three out"};
    s.nodes = nodes;
  }
  return std::nullopt;
}

Failure resolve_each_node(const Cluster& cluster, ParsedSpec& s) {
  const std::int64_t tasks = divided_up(s.tasks, s.nodes);
  if (s.gpus > 0) {
    if (s.gpus % s.nodes != 0) return uneven(s.gpus, "among " + std::to_string(s.nodes) + " nodes");
    s.gpus_per_node = s.gpus / s.nodes;
  } else if (s.gpus_per_task > 0) {
    s.gpus_per_node = std::max(s.gpus_per_node, s.gpus_per_task * tasks);
  }
  resolve_cpus(s);
  resolve_memory(cluster, s);
  return std::nullopt;
}

}  // namespace cox
