// What is free on each node, as plain numbers. A Room is the scratch copy on which gangs are tried:
// copying one costs 32 bytes a node, and take() and give_back() undo each other, so an attempt is
// rolled back by giving back what it took or by dropping the copy.
#pragma once

#include <cstdint>
#include <vector>

#include "schedule/nodes.h"

namespace cox::schedule {

struct NodeRoom {
  std::int64_t cpus = 0;
  std::int64_t memory_mb = 0;
  GpuBits gpus = 0;
  std::int32_t holders = 0;  // shares that stand on the node: an exclusive job wants none

  bool operator==(const NodeRoom&) const = default;
};

// One node's part of a gang, before it becomes a NodeGrant.
struct Share {
  NodeAt node = 0;
  std::int64_t ranks = 0;
  std::int64_t cpus = 0;
  std::int64_t memory_mb = 0;
  GpuBits gpus = 0;
};
using Shares = std::vector<Share>;  // in the order of nodes

class Room {
 public:
  static Room idle(const Nodes& nodes);

  const NodeRoom& operator[](NodeAt at) const { return room_[static_cast<std::size_t>(at)]; }
  NodeAt size() const { return static_cast<NodeAt>(room_.size()); }

  void take(const Shares& shares);
  void give_back(const Shares& shares);

  // Takes as much of the shares as is there: for room that is partly still in use by others.
  void hold_back(const Shares& shares);

  // No more anywhere than `other` has.
  void limit_to(const Room& other);

 private:
  std::vector<NodeRoom> room_;
};

// What grants hold on the nodes there are. Grants on nodes and devices that are gone count nothing.
Shares shares_of(const Nodes& nodes, const Placement& grants);

// The grants of a placed gang, ranks numbered along the node list.
Placement placement_of(const Nodes& nodes, const Shares& shares);

}  // namespace cox::schedule
