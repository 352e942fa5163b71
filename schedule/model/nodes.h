// The nodes of a SchedulerInput in the one order that all of schedule/ uses: along the topology,
// then by host name with digits compared as numbers (n2 before n10). So the nodes of a domain are
// consecutive, and ranks are numbered along the topology. A node is identified by its position in
// this order. The order never changes, so one object serves many passes.
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

using NodeAt = std::int32_t;    // position of a node in Nodes
using GpuBits = std::uint64_t;  // one bit per device, lowest device index first

struct GpuKind {
  std::string type;
  GpuBits devices = 0;
  auto operator<=>(const GpuKind&) const = default;
};

struct NodeFacts {
  const SchedulerNode* node = nullptr;
  std::vector<std::int32_t> gpu_indices;  // device index of each bit of GpuBits, ascending
  GpuBits gpus = 0;                       // all devices
  std::vector<GpuKind> gpu_kinds;         // by type
  std::vector<GpuBits> islands;  // groups of joined devices; empty: all are joined, or unknown
  // Number that nodes share if they differ at most in name, place in the topology, and
  // availability.
  std::int32_t sort = 0;

  // Returns the devices of these types; all devices if `types` is empty.
  GpuBits devices_of(const std::vector<std::string>& types) const;
};

// Consecutive nodes behind one switch or in one block: [first, last).
struct Domain {
  std::string name;
  NodeAt first = 0;
  NodeAt last = 0;
};

class Nodes {
 public:
  explicit Nodes(std::vector<SchedulerNode> nodes, const Settings& settings = {});
  Nodes(const Nodes&) = delete;  // `facts_` points into `nodes_`
  Nodes& operator=(const Nodes&) = delete;

  // Takes over from `nodes` which nodes are available, and why others are not. Returns false and
  // changes nothing if the nodes differ in anything else.
  bool take_availability(const std::vector<SchedulerNode>& nodes);

  NodeAt size() const { return static_cast<NodeAt>(facts_.size()); }
  const NodeFacts& operator[](NodeAt at) const { return facts_[static_cast<std::size_t>(at)]; }
  const std::string& name(NodeAt at) const { return (*this)[at].node->name; }
  std::optional<NodeAt> find(const std::string& name) const;

  // Returns how many different numbers NodeFacts::sort has, from 0 on.
  std::size_t sorts() const { return sorts_; }

  // Returns for each node the position of its first device in a list of all devices of all nodes;
  // one more element at the end has the length of the list.
  const std::vector<std::size_t>& first_gpu() const { return first_gpu_; }

  const Counted& counted() const { return *counted_; }

  // Returns the domains of each topology level in order, leaf switches first. Empty: no topology is
  // known.
  const std::vector<std::vector<Domain>>& levels() const { return levels_; }
  std::optional<std::size_t> level(const std::string& name) const;
  // Returns the names of the levels that a request may use: that of the GPUs inside a node, then
  // the names of levels().
  std::vector<std::string> level_names() const;
  // Returns the leaf switch of the node; null if it has none.
  const Domain* leaf_of(NodeAt at) const;

 private:
  void number_sorts();
  void resolve_levels();

  std::vector<SchedulerNode> nodes_;
  std::vector<NodeFacts> facts_;
  std::size_t sorts_ = 0;
  std::vector<std::size_t> first_gpu_;
  std::optional<Counted> counted_;
  std::vector<std::string> level_names_;
  std::vector<std::vector<Domain>> levels_;
  // by node: position of its leaf switch in levels_.front(); -1: none
  std::vector<std::int32_t> leaf_of_;
  std::unordered_map<std::string_view, NodeAt> at_;
};

}  // namespace cox::schedule
