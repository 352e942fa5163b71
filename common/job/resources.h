// What a node has, and what an attempt is granted of it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/base/fields.h"
#include "common/resources/gres_count.h"

namespace cox {

// GPUs are counted in thousandths: 1000 is a whole GPU, less is a share of one.
inline constexpr std::int32_t gpu_whole = 1000;

inline constexpr std::int32_t gpu_island_unknown = 0;

struct GpuDevice {
  std::int32_t index = 0;  // number of the GPU on its node, as in CUDA_VISIBLE_DEVICES
  std::string type;        // type, such as "h100"; may be empty
  std::string uuid;        // may be empty
  // GPUs of a node with the same number are linked to each other (gpu_islands.h).
  std::int32_t island = gpu_island_unknown;

  COX_FIELDS(index, type, uuid, island);
  bool operator==(const GpuDevice&) const = default;
};

struct NodeResources {
  std::int64_t cpus = 0;
  std::int64_t memory_mb = 0;
  std::vector<GpuDevice> gpus;
  std::vector<GresCount> gres;  // other countable resources

  COX_FIELDS(cpus, memory_mb, gpus, gres);
  bool operator==(const NodeResources&) const = default;
};

// What a placed gang gets on one node. Grants are kept in the order of the job's nodes, so that the
// first ranks are on node 0 (Slurm's block distribution).
struct NodeGrant {
  std::string node;
  std::int32_t first_rank = 0;
  std::int32_t ranks = 0;
  std::int64_t cpus = 0;
  std::int64_t memory_mb = 0;
  std::vector<std::int32_t> gpus;      // device indices
  std::int32_t gpu_milli = gpu_whole;  // thousandths of each of `gpus`
  std::int32_t component = 0;          // component of a heterogeneous job on this node

  COX_FIELDS(node, first_rank, ranks, cpus, memory_mb, gpus, gpu_milli, component);
  bool operator==(const NodeGrant&) const = default;
};

using Placement = std::vector<NodeGrant>;

}  // namespace cox
