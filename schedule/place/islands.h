// GPUs of a node that are joined to each other: the lowest level of the topology
// (common/cluster/gpu_islands.h). Which of them a share takes, and how well a node's free ones suit
// it. Called by place.cpp, badness.cpp and the explanations.
//
//   an island holds them   the one with least free that does; of equal ones one that is broken into
//   none does              as few islands as will do, the fullest first, the last one as above
// (Islands that are whole are left whole where crumbs will do.)
#pragma once

#include <cstdint>

#include "schedule/model/nodes.h"
#include "schedule/model/resolved_request.h"

namespace cox::schedule {

// Of these devices of a node, the most that are joined. An exclusive job takes all GPUs of its
// node, so that they must all be joined to serve one that wants its own to be.
std::int64_t most_joined(const ResolvedRequest& need, const NodeFacts& facts, GpuBits devices);

// So many of the free devices, of one type where one has enough. REQUIRES: there are so many.
GpuBits pick_whole(const NodeFacts& facts, GpuBits free, std::int64_t count);

// How much of its island is left, for a device that is to be shared: crumbs first.
struct IslandLeft {
  bool is_whole = false;
  int free = 0;
  auto operator<=>(const IslandLeft&) const = default;
};
IslandLeft island_left(const NodeFacts& facts, GpuBits free, GpuBits device);

// The islands that the picked devices come from, beyond the first.
int islands_split(const NodeFacts& facts, GpuBits picked);
// The islands that are whole and free, and lose some of their devices but not all.
int islands_broken(const NodeFacts& facts, GpuBits free, GpuBits picked);

}  // namespace cox::schedule
