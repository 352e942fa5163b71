#include "schedule/place/islands.h"

#include <algorithm>
#include <bit>
#include <limits>

namespace cox::schedule {
namespace {

GpuBits lowest(GpuBits from, std::int64_t count) {
  GpuBits picked = 0;
  for (std::int64_t i = 0; i < count; ++i, from &= from - 1) picked |= from & (~from + 1);
  return picked;
}

// Returns the free devices of the type with the fewest that are enough; all free devices if no type
// has enough.
GpuBits of_one_kind(const NodeFacts& facts, GpuBits free, std::int64_t count) {
  GpuBits from = free;
  int least = std::numeric_limits<int>::max();
  for (const GpuKind& kind : facts.gpu_kinds) {
    const int there = std::popcount(free & kind.devices);
    if (there < count || there >= least) continue;
    least = there;
    from = free & kind.devices;
  }
  return from;
}

IslandLeft left_of(GpuBits island, GpuBits free) {
  return {(free & island) == island, std::popcount(free & island)};
}

// Returns the free devices of the island that has the fewest among those with at least `count`; 0
// if none has as many.
GpuBits tightest(const NodeFacts& facts, GpuBits free, std::int64_t count) {
  GpuBits best = 0;
  for (const GpuBits island : facts.islands) {
    const IslandLeft left = left_of(island, free);
    if (left.free == 0 || left.free < count) continue;
    if (best != 0) {
      const IslandLeft least = left_of(best, free);
      if (std::pair(left.free, left.is_whole) >= std::pair(least.free, least.is_whole)) continue;
    }
    best = island;
  }
  return best & free;
}

GpuBits fullest(const NodeFacts& facts, GpuBits free) {
  GpuBits most = 0;
  for (const GpuBits island : facts.islands)
    if (std::popcount(free & island) > std::popcount(most)) most = free & island;
  return most;
}

}  // namespace

std::int64_t most_joined(const ResolvedRequest& need, const NodeFacts& facts, GpuBits devices) {
  if (facts.islands.empty()) return std::popcount(devices);
  if (need.request->exclusive) return 0;
  int most = 0;
  for (const GpuBits island : facts.islands) most = std::max(most, std::popcount(devices & island));
  return most;
}

GpuBits pick_whole(const NodeFacts& facts, GpuBits free, std::int64_t count) {
  if (facts.islands.empty()) return lowest(of_one_kind(facts, free, count), count);
  if (const GpuBits island = tightest(facts, free, count); island != 0)
    return lowest(of_one_kind(facts, island, count), count);
  GpuBits left = of_one_kind(facts, free, count);
  GpuBits picked = 0;
  for (std::int64_t missing = count; missing > 0 && left != 0;) {
    GpuBits from = tightest(facts, left, missing);
    if (from == 0) from = fullest(facts, left);
    const GpuBits taken = lowest(from, std::min<std::int64_t>(missing, std::popcount(from)));
    missing -= std::popcount(taken);
    picked |= taken;
    left &= ~taken;
  }
  return picked;
}

IslandLeft island_left(const NodeFacts& facts, GpuBits free, GpuBits device) {
  for (const GpuBits island : facts.islands)
    if ((island & device) != 0) return left_of(island, free);
  return {};
}

int islands_split(const NodeFacts& facts, GpuBits picked) {
  const auto touched = std::ranges::count_if(
      facts.islands, [picked](GpuBits island) { return (island & picked) != 0; });
  return std::max(0, static_cast<int>(touched) - 1);
}

int islands_broken(const NodeFacts& facts, GpuBits free, GpuBits picked) {
  return static_cast<int>(std::ranges::count_if(facts.islands, [=](GpuBits island) {
    const GpuBits taken = island & picked;
    return (free & island) == island && taken != 0 && taken != island;
  }));
}

}  // namespace cox::schedule
