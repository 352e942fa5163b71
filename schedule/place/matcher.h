// A Matcher works out what requests need on the nodes of the cluster. It decides everything that
// stays the same during a pass: partition, features, availability, size of the idle nodes. Every
// Engine has one; other callers make one to ask about a single request.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "schedule/model/nodes.h"
#include "schedule/model/resolved_request.h"
#include "schedule/model/room.h"
#include "schedule/model/usefulness.h"
#include "schedule/model/whole_node.h"

namespace cox::schedule {

// Whether only available nodes count, or all nodes.
enum class Availability : std::uint8_t { Required, Ignored };

class Matcher {
 public:
  // REQUIRES: `nodes` and the requests asked about outlive this.
  explicit Matcher(const Nodes& nodes, PlacementPolicy policy = PlacementPolicy::BestFit)
      : nodes_(nodes), policy_(policy), idle_(Room::idle(nodes)) {}

  // Returns the need of the request. Equal requests share one Need, which lives until forget_all().
  // Nodes that the request avoids are left out, unless the job could never start without them.
  // `closed`: the nodes that advance reservations keep from the job (advance.h). A set of closed
  // nodes is recognised by its address.
  const ResolvedRequest& need(const Request& request, Availability availability,
                              const Closed* closed = nullptr);

  // Returns the need of an elastic gang for another number of nodes, with as many tasks on each.
  ResolvedRequest sized(const ResolvedRequest& need, std::int64_t nodes) const;

  // Returns the nodes of the request's partitions that have the features which every node must
  // have, ascending.
  const std::vector<NodeAt>& matching(const Request& request);

  const Room& idle() const { return idle_; }
  // The number of needs that were worked out. Each one costs a look at every node.
  std::int64_t settled_so_far() const { return settled_so_far_; }

  void forget_all();  // invalidates the needs that were returned

  // From now on, placements by the policy `fgd` prefer nodes by what jobs usually ask for.
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

// Returns what each node of the job would count at least, if all alternatives of its request take
// whole nodes: the least of each resource over the alternatives. Nothing: some alternative shares
// its nodes.
std::optional<WholeNode> whole_node_of(const Nodes& nodes, const Request& request);

}  // namespace cox::schedule
