// What a node has and what an attempt is granted of it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/resources/gres_count.h"

namespace cox {

// GPUs are counted in thousandths: whole, or a share of one.
inline constexpr std::int32_t gpu_whole = 1000;

inline constexpr std::int32_t gpu_island_unknown = 0;

struct GpuDevice {
  std::int32_t index = 0;  // as CUDA_VISIBLE_DEVICES counts on that node
  std::string type;        // "h100"; may be empty
  std::string uuid;        // may be empty
  // GPUs of a node with the same number are joined to each other (gpu_islands.h).
  std::int32_t island = gpu_island_unknown;

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.index, self.type, self.uuid, self.island);
  }
  bool operator==(const GpuDevice&) const = default;
};

struct NodeResources {
  std::int64_t cpus = 0;
  std::int64_t memory_mb = 0;
  std::vector<GpuDevice> gpus;
  std::vector<GresCount> gres;  // what else it has in numbers

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.cpus, self.memory_mb, self.gpus, self.gres);
  }
  bool operator==(const NodeResources&) const = default;
};

// One node's share of a placed gang. Grants are kept in the order of the job's node list, so that
// ranks fill node 0 first (Slurm's block distribution).
struct NodeGrant {
  std::string node;
  std::int32_t first_rank = 0;
  std::int32_t ranks = 0;
  std::int64_t cpus = 0;
  std::int64_t memory_mb = 0;
  std::vector<std::int32_t> gpus;      // device indices
  std::int32_t gpu_milli = gpu_whole;  // of each of them
  std::int32_t component = 0;          // of a heterogeneous job: which one is on this node

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.node, self.first_rank, self.ranks, self.cpus, self.memory_mb, self.gpus,
          self.gpu_milli, self.component);
  }
  bool operator==(const NodeGrant&) const = default;
};

using Placement = std::vector<NodeGrant>;

}  // namespace cox
