// GPUs of a node that are joined to each other ("islands"), the lowest level of the topology
// (common/cluster/gpu_islands.h). Chooses which GPUs a share takes. Called by place.cpp,
// badness.cpp and the explanations.
//
//   an island has enough free  the one with the fewest free; among equals, one that is in use
//   no island has enough       as few islands as possible, the fullest first, the last one as above
// So whole islands stay whole as long as partly used ones suffice.
#pragma once

#include <cstdint>

#include "schedule/model/nodes.h"
#include "schedule/model/resolved_request.h"

namespace cox::schedule {

// Returns the largest number of these devices that are joined. An exclusive job takes all GPUs of
// its node; unless all are joined, the result is then 0.
std::int64_t most_joined(const ResolvedRequest& need, const NodeFacts& facts, GpuBits devices);

// Picks `count` of the free devices, of one type if one type has enough. REQUIRES: `count` devices
// are free.
GpuBits pick_whole(const NodeFacts& facts, GpuBits free, std::int64_t count);

// What is left of a device's island, to choose the device to be shared: the smaller is preferred.
struct IslandLeft {
  bool is_whole = false;
  int free = 0;
  auto operator<=>(const IslandLeft&) const = default;
};
IslandLeft island_left(const NodeFacts& facts, GpuBits free, GpuBits device);

// Returns the number of islands that the picked devices come from, minus one.
int islands_split(const NodeFacts& facts, GpuBits picked);
// Returns the number of whole free islands that lose some but not all of their devices.
int islands_broken(const NodeFacts& facts, GpuBits free, GpuBits picked);

}  // namespace cox::schedule
