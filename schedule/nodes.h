// The nodes of a World, in the one order everything here uses: host names with digits compared as
// numbers (n2 before n10). A node is known by its position in that order for the length of one
// pass. Never changed, so one serves many passes; rooms, shares and needs all count by it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "schedule/plan.h"

namespace cox::schedule {

using NodeAt = std::int32_t;    // position in Nodes
using GpuBits = std::uint64_t;  // one bit a device, lowest device index first

struct GpuKind {
  std::string type;
  GpuBits devices = 0;
  bool operator==(const GpuKind&) const = default;
};

struct NodeFacts {
  const WorldNode* node = nullptr;
  std::vector<std::int32_t> gpu_indices;  // by bit, ascending
  GpuBits gpus = 0;                       // all of them
  std::vector<GpuKind> gpu_kinds;         // by type

  // The devices of these types; all when none is named.
  GpuBits devices_of(const std::vector<std::string>& types) const;
};

class Nodes {
 public:
  explicit Nodes(std::vector<WorldNode> nodes);
  Nodes(const Nodes&) = delete;  // facts point into it
  Nodes& operator=(const Nodes&) = delete;

  NodeAt size() const { return static_cast<NodeAt>(facts_.size()); }
  const NodeFacts& operator[](NodeAt at) const { return facts_[static_cast<std::size_t>(at)]; }
  const std::string& name(NodeAt at) const { return (*this)[at].node->name; }
  std::optional<NodeAt> find(const std::string& name) const;

  // Of each node, the position of its first device when all devices of all nodes stand in a row;
  // one more at the end.
  const std::vector<std::size_t>& first_gpu() const { return first_gpu_; }

 private:
  std::vector<WorldNode> nodes_;
  std::vector<NodeFacts> facts_;
  std::vector<std::size_t> first_gpu_;
  std::unordered_map<std::string_view, NodeAt> at_;
};

}  // namespace cox::schedule
