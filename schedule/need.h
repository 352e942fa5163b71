// What a pending job needs, said in positions of nodes: how much a node, how many nodes, and which
// nodes may be used at all. Everything that does not change during a pass (partition, feature,
// availability, size of the idle node) is settled here, once a job; place and preempt look only at
// a Need and a Room.
#pragma once

#include <cstdint>
#include <deque>
#include <limits>
#include <unordered_map>
#include <vector>

#include "schedule/nodes.h"
#include "schedule/room.h"

namespace cox::schedule {

struct Need {
  const PendingJob* job = nullptr;
  std::int64_t nodes = 1;
  std::int64_t tasks = 1;
  std::int64_t tasks_per_node_max = std::numeric_limits<std::int64_t>::max();
  std::int64_t cpus_per_task = 1;
  std::int64_t memory_mb = 0;
  std::int64_t gpus = 0;
  std::vector<NodeAt> usable;    // ascending; nodes that can hold at least one of its tasks if idle
  std::vector<NodeAt> required;  // ascending; all of them must be part
  bool required_missing = false;  // a required node is unknown or not usable

  // The tasks a node gets when they are spread evenly, rounded up.
  std::int64_t tasks_even() const { return (tasks + nodes - 1) / nodes; }
};

enum class Availability : std::uint8_t { Required, Ignored };

class Matcher {
 public:
  // REQUIRES: `nodes` and the jobs asked about outlive this.
  explicit Matcher(const Nodes& nodes) : nodes_(nodes), idle_(Room::idle(nodes)) {}

  // Avoided nodes are left out, unless the job could never start without them. Jobs with the same
  // wishes share one Need; it lives as long as this.
  const Need& need(const PendingJob& job, Availability availability);

  // Nodes of the partition that have the feature, ascending.
  const std::vector<NodeAt>& matching(const PendingJob& job);

  const Room& idle() const { return idle_; }

 private:
  // Most jobs of a cluster share a few partitions and features.
  struct Match {
    const std::vector<std::string>* partition_nodes;
    const std::string* constraint;
    std::vector<NodeAt> nodes;
  };

  struct Settled {
    Availability availability;
    Need need;
  };

  Need settle(const PendingJob& job, Availability availability);
  void settle_nodes(Need& need, Availability availability, bool avoiding);

  const Nodes& nodes_;
  Room idle_;
  std::deque<Match> matches_;  // deques: references into them are handed out
  std::deque<Settled> settled_;
  std::unordered_multimap<std::size_t, const Settled*> settled_by_hash_;
};

}  // namespace cox::schedule
