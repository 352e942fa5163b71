// What a job needs, in positions of nodes: how much of a node, how many nodes, and which nodes may
// be used at all. A Matcher works it out from a Request (matcher.h), once for all jobs that ask for
// the same. Placement and preemption look only at a ResolvedRequest and a Room.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "schedule/model/nodes.h"
#include "schedule/model/room.h"
#include "schedule/model/usefulness.h"
#include "schedule/model/whole_node.h"

namespace cox::schedule {

// Nodes with certain features that must be part of a gang, beside those of the other parts.
struct FeaturePart {
  std::vector<NodeAt> members;  // ascending
  std::int64_t nodes = 0;       // at least so many of them

  bool has(NodeAt at) const { return std::ranges::binary_search(members, at); }
};

struct Closed;

struct ResolvedRequest {
  const Request* request = nullptr;
  const Nodes* all_nodes = nullptr;
  PlacementPolicy policy = PlacementPolicy::BestFit;
  const Usefulness* usefulness = nullptr;  // the matcher's, as it is learnt
  const Closed* closed = nullptr;          // what advance reservations keep from it
  std::int64_t nodes = 1;
  std::int64_t tasks = 1;
  std::int64_t tasks_per_node_max = std::numeric_limits<std::int64_t>::max();
  std::int64_t cpus_per_task = 1;
  std::int64_t memory_mb = 0;
  std::int64_t gpus = 0;
  std::int32_t gpu_milli = gpu_whole;
  bool joined_gpus = false;  // those of a node out of one island
  Counts gres;               // on each node
  Counts licences;           // of the cluster
  std::vector<FeaturePart> parts;
  std::optional<std::size_t> level;  // all nodes in one domain of it
  std::int64_t switches = 0;         // on at most so many leaf switches; 0: on any number
  std::vector<GpuBits> devices;      // by node: those of a type asked for; empty: all will do
  std::vector<NodeAt> usable;    // ascending; nodes that can hold at least one of its tasks if idle
  std::vector<NodeAt> required;  // ascending; all of them must be part
  std::size_t features_asked = 0;  // of every node
  bool ever_fits = false;          // on the usable nodes, were they idle
  bool required_missing = false;   // a required node is unknown or not usable
  bool even = false;               // every node holds an even part, as for what is bound
  bool contiguous = false;         // its nodes must be consecutive
  std::vector<ResolvedRequest>
      components;                  // of a heterogeneous gang; then it is tried by these alone
  std::optional<WholeNode> whole;  // exclusive: what of each node is charged, at most

  // Of these free devices of the node, those that will do.
  GpuBits of_its_types(NodeAt at, GpuBits free) const {
    return devices.empty() ? free : free & devices[static_cast<std::size_t>(at)];
  }

  // What ties nodes of a gang to each other: then every one of them holds an even part.
  bool is_bound() const {
    return even || contiguous || !components.empty() || !parts.empty() || level.has_value() ||
           switches > 0;
  }

  // The tasks a node gets when they are spread evenly, rounded up.
  std::int64_t tasks_even() const { return (tasks + nodes - 1) / nodes; }
};

}  // namespace cox::schedule
