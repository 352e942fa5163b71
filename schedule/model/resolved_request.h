// What a pending job needs, said in positions of nodes: how much a node, how many nodes, and which
// nodes may be used at all. Everything that does not change during a pass (partition, feature,
// availability, size of the idle node) is settled here, once a job; place and preempt look only at
// a ResolvedRequest and a Room.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <limits>
#include <optional>
#include <unordered_map>
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

enum class Availability : std::uint8_t { Required, Ignored };

class Matcher {
 public:
  // REQUIRES: `nodes` and the requests asked about outlive this.
  explicit Matcher(const Nodes& nodes, PlacementPolicy policy = PlacementPolicy::BestFit)
      : nodes_(nodes), policy_(policy), idle_(Room::idle(nodes)) {}

  // Avoided nodes are left out, unless the job could never start without them. Equal requests share
  // one ResolvedRequest; it lives as long as this.
  // `closed`: what advance reservations keep from it (advance.h); each one is known by its address.
  const ResolvedRequest& need(const Request& request, Availability availability,
                              const Closed* closed = nullptr);

  // The need of so many nodes instead, each with as many tasks: of an elastic gang.
  ResolvedRequest sized(const ResolvedRequest& need, std::int64_t nodes) const;

  // Nodes of the partition that have the features every node must have, ascending.
  const std::vector<NodeAt>& matching(const Request& request);

  const Room& idle() const { return idle_; }
  // Needs that were worked out, each by looking at every node.
  std::int64_t settled_so_far() const { return settled_so_far_; }

  void forget_all();  // needs handed out are gone

  // What nodes are good for: placements by `fgd` go by it from now on.
  void learn(const DemandProfile& usual) { usefulness_ = Usefulness(nodes_, usual); }

 private:
  // Most jobs of a cluster share a few partitions and features.
  struct Match {
    const std::vector<std::string>* partition_nodes;
    const std::string* constraint;
    const std::vector<std::string>* exclude;
    std::vector<NodeAt> nodes;
  };

  struct Settled {
    Availability availability;
    ResolvedRequest need;
  };

  const ResolvedRequest& settled(const Request& request, Availability availability,
                                 const Closed* closed);
  ResolvedRequest settle(const Request& request, Availability availability, const Closed* closed);
  ResolvedRequest settle_components(const Request& request, Availability availability,
                                    const Closed* closed);
  bool settle_besides(ResolvedRequest& need) const;
  void settle_parts(ResolvedRequest& need) const;
  void settle_nodes(ResolvedRequest& need, Availability availability, bool avoiding);

  const Nodes& nodes_;
  PlacementPolicy policy_;
  Usefulness usefulness_;
  Room idle_;
  std::int64_t settled_so_far_ = 0;
  std::deque<Match> matches_;  // deques: references into them are handed out
  std::deque<Settled> settled_;
  std::unordered_multimap<std::size_t, const Settled*> settled_by_hash_;
  using OpenTo = std::unordered_map<const Request*, const ResolvedRequest*>;
  std::unordered_map<const Closed*, OpenTo> settled_by_address_;  // those Required
};

}  // namespace cox::schedule
