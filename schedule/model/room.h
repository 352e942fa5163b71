// What is free on each node, as plain numbers. Gangs are tried on a copy, which costs 32 bytes per
// node and 2 per GPU. take() and give_back() undo each other: a try is rolled back by giving back
// what it took, or by dropping the copy.
//
// A GPU is either whole or shared. Free whole devices are bits of NodeRoom::gpus. A shared device
// has a number of free thousandths; when all are free, it is whole again.
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
  std::int32_t holders = 0;  // number of jobs on the node; must be 0 for an exclusive job

  bool operator==(const NodeRoom&) const = default;
};

// One node's part of a gang, before it becomes a NodeGrant.
struct NodePart {
  NodeAt node = 0;
  std::int64_t ranks = 0;
  std::int64_t cpus = 0;
  std::int64_t memory_mb = 0;
  GpuBits gpus = 0;
  std::int32_t gpu_milli = gpu_whole;  // how much of each of `gpus` the part takes, in thousandths
  // what the part adds to NodeRoom::holders; 0: the job is counted there already
  std::int32_t holders = 1;
  std::int32_t component = 0;  // number of the component in a heterogeneous gang

  bool operator==(const NodePart&) const = default;
};

// What a gang holds: its parts in the order of nodes, its GRES and its licences.
struct GangParts {
  std::vector<NodePart> parts;
  Counts each;      // GRES that the gang holds on each of its nodes
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

  // Returns the free thousandths of each device of a node, by bit.
  std::span<const std::uint16_t> gpu_milli(NodeAt at) const;

  // Returns the free GRES of a node, by kind.
  std::span<const std::int64_t> gres(NodeAt at) const {
    return {gres_.data() + static_cast<std::size_t>(at) * gres_kinds_, gres_kinds_};
  }

  // Return whether at least these counts are free, on the node or in the cluster.
  bool has_gres(NodeAt at, const Counts& counts) const;
  bool has_licences(const Counts& counts) const;

  void take(const GangParts& shares);
  void give_back(const GangParts& shares);

  // Takes the shares as far as they are free. Used if other jobs still hold a part of them.
  void hold_back(const GangParts& shares);

  // Returns whether all of the shares are free.
  bool covers(const GangParts& shares) const;

  // Lowers each free amount to that of `other`, if that is smaller.
  void limit_to(const Room& other);
  // Sets the free amounts of this node, and of all licences, to the smaller of `a` and `b`.
  void set_least(NodeAt at, const Room& a, const Room& b);
  void set_licences_of(const Room& other) { licences_ = other.licences_; }

 private:
  void take_gpus(NodeAt at, const NodePart& share);
  void give_back_gpus(NodeAt at, const NodePart& share);
  void change_counted(const GangParts& shares, std::int64_t by);
  std::uint16_t* milli_of(NodeAt at) { return milli_.data() + first_gpu(at); }
  std::size_t first_gpu(NodeAt at) const { return (*first_gpu_)[static_cast<std::size_t>(at)]; }

  std::vector<NodeRoom> room_;
  std::vector<std::uint16_t> milli_;  // free thousandths of all devices of all nodes
  // by node: position in milli_; owned by Nodes
  const std::vector<std::size_t>* first_gpu_ = nullptr;
  std::size_t gres_kinds_ = 0;
  // free counts: all kinds of the first node, then those of the next
  std::vector<std::int64_t> gres_;
  std::vector<std::int64_t> licences_;
};

// Returns what the grants of a job hold, by position. Nodes and devices that no longer exist are
// left out.
GangParts shares_of(const Nodes& nodes, const Placement& grants, const Request& request);

// Return the CPUs of the shares alone, and everything but the CPUs.
GangParts cpus_of(const GangParts& shares);
GangParts all_but_cpus_of(const GangParts& shares);

// Returns the grants of a placed gang. Ranks are numbered component by component, within each along
// its nodes.
Placement placement_of(const Nodes& nodes, const GangParts& shares);

}  // namespace cox::schedule
