// What is free on each node, as plain numbers. A Room is the scratch copy on which gangs are tried:
// copying one costs 32 bytes a node and 2 a GPU, and take() and give_back() undo each other, so an
// attempt is rolled back by giving back what it took or by dropping the copy.
//
// A GPU is whole or shared, never both: whole devices that are free are bits of NodeRoom::gpus; of
// a shared one some thousandths are free, and it is whole again when all of them are.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "schedule/model/nodes.h"

namespace cox::schedule {

struct NodeRoom {
  std::int64_t cpus = 0;
  std::int64_t memory_mb = 0;
  GpuBits gpus = 0;          // free and whole
  std::int32_t holders = 0;  // shares that stand on the node: an exclusive job wants none

  bool operator==(const NodeRoom&) const = default;
};

// One node's part of a gang, before it becomes a NodeGrant.
struct NodePart {
  NodeAt node = 0;
  std::int64_t ranks = 0;
  std::int64_t cpus = 0;
  std::int64_t memory_mb = 0;
  GpuBits gpus = 0;
  std::int32_t gpu_milli = gpu_whole;  // of each of them
  std::int32_t holders = 1;            // 0: of one that stands on the node anyway
  std::int32_t component = 0;          // of a heterogeneous gang

  bool operator==(const NodePart&) const = default;
};

// What a gang holds: its parts in the order of nodes, and what is counted.
struct GangParts {
  std::vector<NodePart> parts;
  Counts each;      // GRES on every one of its nodes
  Counts licences;  // of the cluster

  auto begin() const { return parts.begin(); }
  auto end() const { return parts.end(); }
  std::size_t size() const { return parts.size(); }
  bool operator==(const GangParts&) const = default;
};

class Room {
 public:
  static Room idle(const Nodes& nodes);

  const NodeRoom& operator[](NodeAt at) const { return room_[static_cast<std::size_t>(at)]; }
  NodeAt size() const { return static_cast<NodeAt>(room_.size()); }

  // Free thousandths of each device of a node, by bit.
  std::span<const std::uint16_t> gpu_milli(NodeAt at) const;

  // Free counts of a node, by kind.
  std::span<const std::int64_t> gres(NodeAt at) const {
    return {gres_.data() + static_cast<std::size_t>(at) * gres_kinds_, gres_kinds_};
  }

  // So much is there.
  bool has_gres(NodeAt at, const Counts& counts) const;
  bool has_licences(const Counts& counts) const;

  void take(const GangParts& shares);
  void give_back(const GangParts& shares);

  // Takes as much of the shares as is there: for room that is partly still in use by others.
  void hold_back(const GangParts& shares);

  // All of the shares are there.
  bool covers(const GangParts& shares) const;

  // No more anywhere than `other` has.
  void limit_to(const Room& other);
  // Of this node, and of licences, what is in both.
  void set_least(NodeAt at, const Room& a, const Room& b);
  void set_licences_of(const Room& other) { licences_ = other.licences_; }

 private:
  void take_gpus(NodeAt at, const NodePart& share);
  void give_back_gpus(NodeAt at, const NodePart& share);
  void change_counted(const GangParts& shares, std::int64_t by);
  std::uint16_t* milli_of(NodeAt at) { return milli_.data() + first_gpu(at); }
  std::size_t first_gpu(NodeAt at) const { return (*first_gpu_)[static_cast<std::size_t>(at)]; }

  std::vector<NodeRoom> room_;
  std::vector<std::uint16_t> milli_;                     // of all devices of all nodes
  const std::vector<std::size_t>* first_gpu_ = nullptr;  // of each node in milli_: Nodes has it
  std::size_t gres_kinds_ = 0;
  std::vector<std::int64_t> gres_;  // node by node, by kind
  std::vector<std::int64_t> licences_;
};

// What the grants of a job hold on the nodes there are. Nodes and devices that are gone count
// nothing.
GangParts shares_of(const Nodes& nodes, const Placement& grants, const Request& request);

// Of what somebody holds the CPUs alone, and all but those.
GangParts cpus_of(const GangParts& shares);
GangParts all_but_cpus_of(const GangParts& shares);

// The grants of a placed gang, ranks numbered along the node list: component by component, and the
// nodes of each in their order.
Placement placement_of(const Nodes& nodes, const GangParts& shares);

}  // namespace cox::schedule
