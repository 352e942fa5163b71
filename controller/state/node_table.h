// The nodes in the controller's memory, and the sum of what they have. Part of Cluster; only
// Cluster changes it. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "common/cluster/node.h"
#include "common/resources/tres.h"

namespace cox {

class NodeTable {
 public:
  const std::map<std::string, Node>& all() const { return nodes_; }
  const Node* find(const std::string& name) const;  // null: there is no such node
  // The sum of what all nodes have. The factor for job size in a job's priority is the job's part
  // of this sum.
  struct Capacity {
    std::int64_t cpus = 0;
    std::int64_t gpus = 0;
  };
  const Capacity& capacity() const { return capacity_; }
  // Returns how much of this resource all nodes have, whether they are available or not.
  std::int64_t total_of(const TresCount& tres) const;
  // How many GPUs of each type all nodes have.
  const std::map<std::string, std::int64_t>& gpu_types() const { return gpu_types_; }
  // Returns whether a node has GPUs of several types.
  bool has_mixed_gpus() const { return mixed_gpu_nodes_ > 0; }

  // For Cluster: how put() has changed which types of GPUs the nodes have.
  enum class GpuTypes : std::uint8_t {
    Same,
    OnlyOne,  // changed; no node has had GPUs of several types, before or now
    Differ,   // changed; a node had GPUs of several types before, or has now
  };
  GpuTypes put(Node node);
  void clear() { *this = {}; }

 private:
  GpuTypes count_gpu_types(const Node& before, const Node& now);

  std::map<std::string, Node> nodes_;
  Capacity capacity_;
  std::map<std::string, std::int64_t> gpu_types_;
  std::int32_t mixed_gpu_nodes_ = 0;
  // Cache of total_of(), by the resource's name.
  mutable std::map<std::string, std::int64_t> totals_;
};

}  // namespace cox
