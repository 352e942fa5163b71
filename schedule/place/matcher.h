// Works out what requests need on the nodes of the cluster: everything that does not change during
// a pass, such as partition, features, availability and the size of idle nodes. Every Engine has
// one. Other callers make one to examine a single request.
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

// Required: only available nodes are usable. Ignored: unavailable nodes are usable, too.
enum class Availability : std::uint8_t { Required, Ignored };

class Matcher {
 public:
  // REQUIRES: `nodes` and the requests passed to this outlive it.
  explicit Matcher(const Nodes& nodes, PlacementPolicy policy = PlacementPolicy::BestFit)
      : nodes_(nodes), policy_(policy), idle_(Room::idle(nodes)) {}

  // Resolves the request to nodes. Equal requests share one result, which lives until forget_all().
  // Nodes that the request avoids are left out, unless the job could never start without them.
  // `closed`: the nodes that advance reservations keep from the job (advance.h). A set of closed
  // nodes is recognised by its address.
  const ResolvedRequest& need(const Request& request, Availability availability,
                              const Closed* closed = nullptr);

  // Returns the need of an elastic gang for another number of nodes, with as many tasks on each.
  ResolvedRequest sized(const ResolvedRequest& need, std::int64_t nodes) const;

  // Returns the nodes of the request's partitions that it does not exclude and that have the
  // features which every node must have, ascending.
  const std::vector<NodeAt>& matching(const Request& request);

  const Room& idle() const { return idle_; }
  // Returns the number of requests resolved so far. Each examined every node.
  std::int64_t resolved_so_far() const { return resolved_so_far_; }

  void forget_all();  // invalidates all results of need()

  // Makes the placement `fgd` use these counts of earlier requests from now on.
  void learn(const DemandProfile& usual) { usefulness_ = Usefulness(nodes_, usual); }

 private:
  // The nodes that match the partition, constraint and excluded nodes of a request. Most requests
  // share a few such matches.
  struct Match {
    const std::vector<std::string>* partition_nodes;
    const std::string* constraint;
    const std::vector<std::string>* exclude;
    std::vector<NodeAt> nodes;
  };

  struct Resolved {
    Availability availability;
    ResolvedRequest need;
  };

  const ResolvedRequest& resolved(const Request& request, Availability availability,
                                  const Closed* closed);
  ResolvedRequest resolve(const Request& request, Availability availability, const Closed* closed);
  ResolvedRequest resolve_components(const Request& request, Availability availability,
                                     const Closed* closed);
  bool resolve_besides(ResolvedRequest& need) const;
  void resolve_parts(ResolvedRequest& need) const;
  std::vector<GpuBits> devices_of(const std::vector<std::string>& types) const;
  void resolve_nodes(ResolvedRequest& need, Availability availability, bool avoiding);

  const Nodes& nodes_;
  PlacementPolicy policy_;
  Usefulness usefulness_;
  Room idle_;
  std::int64_t resolved_so_far_ = 0;
  std::deque<Match> matches_;  // deques, since references to elements are returned
  std::deque<Resolved> resolved_;
  std::unordered_multimap<std::size_t, const Resolved*> resolved_by_hash_;
  using OpenTo = std::unordered_map<const Request*, const ResolvedRequest*>;
  std::unordered_map<const Closed*, OpenTo> resolved_by_address_;  // with Availability::Required
};

// Returns the least that limits count for each node of an exclusive job: for each resource the
// least over the alternatives of its request. Empty if any alternative shares its nodes.
std::optional<WholeNode> whole_node_of(const Nodes& nodes, const Request& request);

}  // namespace cox::schedule
