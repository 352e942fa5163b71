// The nodes of a SchedulerInput, in the one order everything here uses: along the topology, then by
// host name with digits compared as numbers (n2 before n10), so that a domain is a row of
// neighbours and ranks are numbered along it. A node is known by its position in that order. Never
// changed, so one serves many passes; rooms, shares and needs all count by it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "schedule/model/counted.h"
#include "schedule/model/scheduler_input.h"

namespace cox::schedule {

using NodeAt = std::int32_t;    // position in Nodes
using GpuBits = std::uint64_t;  // one bit a device, lowest device index first

struct GpuKind {
  std::string type;
  GpuBits devices = 0;
  auto operator<=>(const GpuKind&) const = default;
};

struct NodeFacts {
  const SchedulerNode* node = nullptr;
  std::vector<std::int32_t> gpu_indices;  // by bit, ascending
  GpuBits gpus = 0;                       // all of them
  std::vector<GpuKind> gpu_kinds;         // by type
  std::vector<GpuBits> islands;           // that are joined; empty: all are, or nothing is known

  // The devices of these types; all when none is named.
  GpuBits devices_of(const std::vector<std::string>& types) const;
};

// Nodes behind one switch, or in one block: from first on, before last.
struct Domain {
  std::string name;
  NodeAt first = 0;
  NodeAt last = 0;
};

class Nodes {
 public:
  explicit Nodes(std::vector<SchedulerNode> nodes, const Settings& settings = {});
  Nodes(const Nodes&) = delete;  // facts point into it
  Nodes& operator=(const Nodes&) = delete;

  // Takes what these say of who is available. False, and nothing is taken, when anything else of
  // them differs.
  bool take_availability(const std::vector<SchedulerNode>& nodes);

  NodeAt size() const { return static_cast<NodeAt>(facts_.size()); }
  const NodeFacts& operator[](NodeAt at) const { return facts_[static_cast<std::size_t>(at)]; }
  const std::string& name(NodeAt at) const { return (*this)[at].node->name; }
  std::optional<NodeAt> find(const std::string& name) const;

  // Of each node, the position of its first device when all devices of all nodes stand in a row;
  // one more at the end.
  const std::vector<std::size_t>& first_gpu() const { return first_gpu_; }

  const Counted& counted() const { return *counted_; }

  // The domains of each level in order, the leaf switches first. Empty: no topology is known.
  const std::vector<std::vector<Domain>>& levels() const { return levels_; }
  std::optional<std::size_t> level(const std::string& name) const;
  // How those that there are are asked for: of the GPUs inside a node, then as levels().
  std::vector<std::string> level_names() const;
  // Null: it is in none.
  const Domain* leaf_of(NodeAt at) const;

 private:
  void settle_levels();

  std::vector<SchedulerNode> nodes_;
  std::vector<NodeFacts> facts_;
  std::vector<std::size_t> first_gpu_;
  std::optional<Counted> counted_;
  std::vector<std::string> level_names_;
  std::vector<std::vector<Domain>> levels_;
  std::vector<std::int32_t> leaf_of_;  // by node, in levels_.front(); -1: none
  std::unordered_map<std::string_view, NodeAt> at_;
};

}  // namespace cox::schedule
