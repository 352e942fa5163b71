// The key of the shapes that the controller has found possible (Cluster::known_possible()). Whether
// a job can ever run is the same for all jobs of one shape. Pure.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <vector>

namespace cox {

// The options of a job that decide whether it can ever run.
struct Shape {
  std::string partition;
  std::string constraint;
  std::string gpu_type;
  std::string gres;
  std::string licences;
  std::string node_sizes;
  std::string switches;
  std::string topology;
  std::vector<std::string> nodelist;
  std::int64_t nodes = 0;
  std::int64_t tasks = 0;
  std::int64_t tasks_per_node = 0;
  std::int64_t cpus_per_task = 0;
  std::int64_t memory_mb_per_node = 0;
  std::int64_t gpus_per_node = 0;
  std::int32_t gpu_milli = 0;
  bool exclusive = false;
  bool tasks_asked = false;
  std::vector<std::string> exclude;
  std::int64_t memory_mb_per_cpu = 0;
  std::int64_t memory_mb_per_gpu = 0;
  std::int64_t gpus = 0;
  std::int64_t gpus_per_task = 0;
  std::int64_t cpus_per_gpu = 0;
  bool whole_memory = false;
  std::int64_t tasks_per_gpu = 0;
  std::int64_t min_cpus = 0;
  bool cpus_per_task_asked = false;
  bool contiguous = false;
  std::string prefer;
  auto operator<=>(const Shape&) const = default;
};

struct PossibleKey {
  Shape shape;
  bool more_nodes_do = false;  // the number of nodes is ours to choose
  auto operator<=>(const PossibleKey&) const = default;
};

}  // namespace cox
