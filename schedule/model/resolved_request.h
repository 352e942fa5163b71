// A Request in terms of node positions: how much of each node, how many nodes, and which nodes are
// usable. A Matcher makes it (matcher.h), once for all jobs with an equal request. Placement and
// preemption read only a ResolvedRequest and a Room.
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

// One counted feature of a constraint, such as a*2 in "a*2&b*4": of the nodes that have the
// feature, at least so many must be part of the gang.
struct FeaturePart {
  std::vector<NodeAt> members;  // ascending
  std::int64_t nodes = 0;       // how many of `members` the gang needs at least

  bool has(NodeAt at) const { return std::ranges::binary_search(members, at); }
};

struct Closed;

struct ResolvedRequest {
  const Request* request = nullptr;
  const Nodes* all_nodes = nullptr;
  PlacementPolicy policy = PlacementPolicy::BestFit;
  // what free GPUs are worth, for fgd; the matcher owns and updates it
  const Usefulness* usefulness = nullptr;
  const Closed* closed = nullptr;  // nodes that advance reservations close to the job
  std::int64_t nodes = 1;
  std::int64_t tasks = 1;
  std::int64_t tasks_per_node_max = std::numeric_limits<std::int64_t>::max();
  std::int64_t cpus_per_task = 1;
  std::int64_t memory_mb = 0;
  std::int64_t gpus = 0;
  std::int32_t gpu_milli = gpu_whole;
  bool joined_gpus = false;  // the GPUs on a node must be of one island
  Counts gres;               // on each node
  Counts licences;           // of the cluster
  std::vector<FeaturePart> parts;
  std::optional<std::size_t> level;  // all nodes must be in one domain of this level
  std::int64_t switches = 0;         // on at most this many leaf switches; 0: on any number
  std::vector<GpuBits> devices;      // by node: the devices of an accepted type; empty: all devices
  std::vector<NodeAt> usable;        // ascending; nodes that could hold one of the tasks if idle
  std::vector<NodeAt> required;      // ascending; the placement must include all of them
  std::size_t features_asked = 0;    // number of features that every node must have
  bool ever_fits = false;            // whether the gang fits if all usable nodes are idle
  bool required_missing = false;     // a required node is unknown or not usable
  bool even = false;                 // every node must get an equal number of tasks
  bool contiguous = false;           // its nodes must be consecutive
  // The components of a heterogeneous gang; if there are any, only they are placed.
  std::vector<ResolvedRequest> components;
  // For an exclusive job: the amounts of the largest node that it could get. Limits of resource
  // time count these for each node.
  std::optional<WholeNode> whole;

  // Returns those of these free devices that are of an accepted type.
  GpuBits accepted_devices(NodeAt at, GpuBits free) const {
    return devices.empty() ? free : free & devices[static_cast<std::size_t>(at)];
  }

  // Returns whether the choice of one node depends on the others, as for --contiguous, switches or
  // counted features. Then each node gets an equal part.
  bool is_bound() const {
    return even || contiguous || !components.empty() || !parts.empty() || level.has_value() ||
           switches > 0;
  }

  // Returns the number of tasks per node when they are spread evenly, rounded up.
  std::int64_t tasks_even() const { return (tasks + nodes - 1) / nodes; }
};

}  // namespace cox::schedule
