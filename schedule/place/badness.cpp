#include "schedule/place/badness.h"

#include <algorithm>
#include <array>
#include <bit>

#include "common/base/limits.h"
#include "schedule/place/islands.h"

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

// Returns the larger of the free fractions of CPUs and memory. Memory that the job does not ask for
// is ignored.
double cpus_and_memory_left(const ResolvedRequest& need, const NodeResources& total,
                            const NodeRoom& here, std::int64_t tasks) {
  const double cpus = fraction(here.cpus - tasks * need.cpus_per_task, total.cpus);
  if (need.memory_mb == 0) return cpus;
  return std::max(cpus, fraction(here.memory_mb - need.memory_mb, total.memory_mb));
}

bool ranks_by_usefulness(const ResolvedRequest& need) {
  return need.policy == PlacementPolicy::Fgd && need.usefulness->has_usual_requests();
}

// Returns the usefulness of the node after it has given these devices and the CPUs of the tasks.
double usefulness_after(const ResolvedRequest& need, const Room& room, NodeAt at,
                        std::int64_t tasks, GpuBits taken) {
  std::array<std::uint16_t, limits::gpus_per_node_max> milli{};
  const auto free = room.gpu_milli(at);
  for (std::size_t device = 0; device < free.size(); ++device) {
    const bool takes = (taken >> device & 1) != 0;
    milli[device] = static_cast<std::uint16_t>(free[device] - (takes ? need.gpu_milli : 0));
  }
  return need.usefulness->of(at, room[at].cpus - tasks * need.cpus_per_task,
                             {milli.data(), free.size()});
}

double usefulness_lost(const ResolvedRequest& need, const Nodes& nodes, const Room& room, NodeAt at,
                       std::int64_t tasks) {
  const double before = need.usefulness->of(at, room[at].cpus, room.gpu_milli(at));
  return before - usefulness_after(need, room, at, tasks, pick_gpus(need, nodes, room, at));
}

double by_policy(const ResolvedRequest& need, const Nodes& nodes, const Room& room,
                 const Badness& badness, std::int64_t tasks) {
  const auto gpu_milli = static_cast<double>(free_gpu_milli(room, badness.node));
  switch (need.policy) {
    case PlacementPolicy::Fgd:
      if (!ranks_by_usefulness(need)) return 0;
      return usefulness_lost(need, nodes, room, badness.node, tasks);
    case PlacementPolicy::BestFit: return 0;
    case PlacementPolicy::Packing: return gpu_milli;
    case PlacementPolicy::Spreading: return -badness.gpus_left - badness.left;
    case PlacementPolicy::LeastFree: return gpu_milli + badness.left;
  }
  return 0;
}

// Picks the device for a part of a GPU. Of equally useful devices it picks the one with least left.
// Usefulness within a millionth of a GPU is equal, since sums that are equal on paper differ in
// their last bits.
GpuBits pick_part(const ResolvedRequest& need, const NodeFacts& facts, const Room& room,
                  NodeAt at) {
  constexpr double equal_milli = 1e-3;
  const auto milli = room.gpu_milli(at);
  const bool by_usefulness = ranks_by_usefulness(need);
  const auto left = [&](std::size_t device) {
    return std::pair(milli[device], island_left(facts, room[at].gpus, GpuBits{1} << device));
  };
  std::size_t picked = milli.size();
  double best = 0;
  for (std::size_t device = 0; device < milli.size(); ++device) {
    const GpuBits bit = GpuBits{1} << device;
    if (need.accepted_devices(at, bit) == 0 || milli[device] < need.gpu_milli) continue;
    const double value =
        by_usefulness ? usefulness_after(need, room, at, need.tasks_even(), bit) : 0;
    const bool better = picked == milli.size() || value > best + equal_milli ||
                        (value >= best - equal_milli && left(device) < left(picked));
    if (!better) continue;
    best = value;
    picked = device;
  }
  return picked == milli.size() ? 0 : GpuBits{1} << picked;
}

}  // namespace

double leaf_free(const Room& room, const Domain& leaf) {
  std::int64_t milli = 0;
  std::int64_t cpus = 0;
  bool has_gpus = false;
  for (NodeAt at = leaf.first; at < leaf.last; ++at) {
    has_gpus = has_gpus || !room.gpu_milli(at).empty();
    milli += free_gpu_milli(room, at);
    cpus += room[at].cpus;
  }
  return static_cast<double>(has_gpus ? milli : cpus);
}

Badness badness_of(const ResolvedRequest& need, const Nodes& nodes, const Room& room, NodeAt at,
                   std::int64_t tasks) {
  const NodeFacts& facts = nodes[at];
  Badness badness;
  badness.node = at;
  badness.weight = facts.node->weight;
  badness.wastes_gpus = need.gpus == 0 && facts.gpus != 0;
  const std::size_t features = facts.node->features.size();
  badness.idle_features = features - std::min(features, need.features_asked);
  badness.left = cpus_and_memory_left(need, facts.node->total, room[at], tasks);
  const auto gpus = static_cast<std::int64_t>(std::popcount(facts.gpus)) * gpu_whole;
  badness.gpus_left = fraction(free_gpu_milli(room, at) - need.gpus * need.gpu_milli, gpus);
  badness.by_policy = by_policy(need, nodes, room, badness, tasks);
  if (facts.islands.empty() || need.gpus == 0 || need.request->exclusive) return badness;
  const GpuBits picked = pick_gpus(need, nodes, room, at);
  badness.islands_split = islands_split(facts, picked);
  badness.islands_broken = islands_broken(facts, room[at].gpus, picked);
  return badness;
}

GpuBits pick_gpus(const ResolvedRequest& need, const Nodes& nodes, const Room& room, NodeAt at) {
  if (need.gpu_milli < gpu_whole) return pick_part(need, nodes[at], room, at);
  return pick_whole(nodes[at], need.accepted_devices(at, room[at].gpus), need.gpus);
}

}  // namespace cox::schedule
