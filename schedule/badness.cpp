#include "schedule/badness.h"

#include <algorithm>
#include <bit>

namespace cox::schedule {
namespace {

double fraction(std::int64_t part, std::int64_t whole) {
  return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0.0;
}

std::int64_t free_gpu_milli(const Room& room, NodeAt at) {
  std::int64_t sum = 0;
  for (const std::uint16_t milli : room.gpu_milli(at)) sum += milli;
  return sum;
}

// Of CPUs or memory, whichever is left most; what nobody claims is left everywhere, tells nothing.
double cpus_and_memory_left(const Need& need, const NodeResources& total, const NodeRoom& here,
                            std::int64_t tasks) {
  const double cpus = fraction(here.cpus - tasks * need.cpus_per_task, total.cpus);
  if (need.memory_mb == 0) return cpus;
  return std::max(cpus, fraction(here.memory_mb - need.memory_mb, total.memory_mb));
}

double by_policy(const Need& need, const NodeFacts& facts, std::int64_t gpu_milli_left,
                 double left) {
  const auto gpus = static_cast<std::int64_t>(std::popcount(facts.gpus)) * gpu_whole;
  const double gpus_left = fraction(gpu_milli_left, gpus);
  switch (need.policy) {
    case PlacementPolicy::Fgd:
    case PlacementPolicy::BestFit: return gpus_left;
    case PlacementPolicy::Packing: return static_cast<double>(gpu_milli_left);
    case PlacementPolicy::Spreading: return -gpus_left - left;
    case PlacementPolicy::LeastFree: return static_cast<double>(gpu_milli_left) + left;
  }
  return 0;
}

// Of a shared device as little as possible is left; whole ones are broken last.
GpuBits pick_part(const Need& need, const Room& room, NodeAt at) {
  const auto milli = room.gpu_milli(at);
  GpuBits picked = 0;
  std::int32_t least = gpu_whole + 1;
  for (std::size_t device = 0; device < milli.size(); ++device) {
    const GpuBits bit = GpuBits{1} << device;
    if (need.of_its_types(at, bit) == 0 || milli[device] < need.gpu_milli) continue;
    if (milli[device] >= least) continue;
    least = milli[device];
    picked = bit;
  }
  return picked;
}

}  // namespace

Badness badness_of(const Need& need, const Nodes& nodes, const Room& room, NodeAt at,
                   std::int64_t tasks) {
  const NodeFacts& facts = nodes[at];
  Badness badness;
  badness.node = at;
  badness.wastes_gpus = need.gpus == 0 && facts.gpus != 0;
  badness.idle_features = facts.node->features.size() - (need.request->constraint.empty() ? 0 : 1);
  badness.left = cpus_and_memory_left(need, facts.node->total, room[at], tasks);
  const std::int64_t left = free_gpu_milli(room, at) - need.gpus * need.gpu_milli;
  badness.by_policy = by_policy(need, facts, left, badness.left);
  return badness;
}

GpuBits pick_gpus(const Need& need, const Nodes& nodes, const Room& room, NodeAt at) {
  if (need.gpu_milli < gpu_whole) return pick_part(need, room, at);
  const NodeFacts& facts = nodes[at];
  const GpuBits free = need.of_its_types(at, room[at].gpus);
  GpuBits from = free;
  int least = 65;
  for (const GpuKind& kind : facts.gpu_kinds) {
    const int count = std::popcount(free & kind.devices);
    if (count < need.gpus || count >= least) continue;
    least = count;
    from = free & kind.devices;
  }
  GpuBits picked = 0;
  for (std::int64_t i = 0; i < need.gpus; ++i, from &= from - 1) picked |= from & (~from + 1);
  return picked;
}

}  // namespace cox::schedule
