// How an administrator wants the scheduler to decide: each policy by its name in the configuration,
// as Slurm chooses plugins. Part of the scheduler's input: the same world and the same settings
// give the same plan.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/base/time.h"
#include "common/resources/gpu_wish.h"
#include "common/resources/licence.h"

namespace cox {

template <class Policy>
using PolicyNames = std::vector<std::pair<std::string_view, Policy>>;

template <class Policy>
std::string_view name(const PolicyNames<Policy>& names, Policy policy) {
  return std::ranges::find(names, policy, &std::pair<std::string_view, Policy>::second)->first;
}

template <class Policy>
std::optional<Policy> policy_from(const PolicyNames<Policy>& names, std::string_view name) {
  const auto found = std::ranges::find(names, name, &std::pair<std::string_view, Policy>::first);
  return found == names.end() ? std::nullopt : std::optional(found->second);
}

// Which of the nodes that would do a gang takes (badness.h).
enum class PlacementPolicy : std::uint8_t {
  Fgd,        // where the least room becomes useless for the usual jobs (FGD, ATC'23)
  BestFit,    // where least of the node is left over
  Packing,    // where the fewest GPUs are free
  Spreading,  // where most is left over
  LeastFree,  // where the least room is free, in all
};

const PolicyNames<PlacementPolicy>& placement_policies();

// So many of the jobs that fit nowhere hold a reservation, the first in line. None: first come,
// first served, and nobody passes the first that waits. One: EASY. All: conservative.
struct Backfill {
  static constexpr std::int64_t all = std::numeric_limits<std::int64_t>::max();
  std::int64_t reservations = 1;
  bool operator==(const Backfill&) const = default;
};
// "none", "easy", "conservative" or a number from 1 to reservations_max.
std::optional<Backfill> backfill_from(std::string_view text);
inline constexpr std::int64_t reservations_max = 10'000;

// Who is next (schedule/queue/order.h).
enum class OrderPolicy : std::uint8_t {
  Multifactor,
  Fcfs,
  ShortestFirst,
  LeastAttained,
  ShortestRemaining,
  Gittins,
};

const PolicyNames<OrderPolicy>& order_policies();

// Of the multifactor order; factors are from 0 to 1. The defaults of age and shortness were found
// together: ten days of waiting are worth as much as a third of the way from a week's limit to a
// minute's (bench/measured.md).
struct PriorityWeights {
  std::int64_t age = 350;
  std::int64_t shortness = 1'000;
  std::int64_t size = 0;
  bool favor_small = false;         // Slurm's PriorityFavorSmall: small jobs get the weight of size
  std::int64_t fair_share = 5'000;  // counts as soon as there are accounts
  std::int64_t partition = 0;
  std::int64_t qos = 0;
  std::int64_t tres_cpu = 0;
  std::int64_t tres_gpu = 0;
  Milliseconds max_age{864'000'000};  // who has waited so long stands first; Slurm's PriorityMaxAge
};
inline constexpr std::int64_t priority_weight_max = 1'000'000'000;

// What of a victim's tier counts at most, so that sums of costs stay whole and exact.
inline constexpr std::int64_t preempt_weight_max = 1'000;
inline constexpr std::int64_t preempt_budget_max = 1'000;

struct SchedulingSettings {
  OrderPolicy order = OrderPolicy::Multifactor;
  PriorityWeights priority = {};
  PlacementPolicy placement = PlacementPolicy::Fgd;
  Backfill backfill = {};
  // Jobs that have saved are moved when that, and only that, lets a larger gang start.
  bool moves = true;
  // An order that preempts, and a move, let a job run at least so long.
  Milliseconds order_exempt{600'000};
  // What a job that is preempted loses beside its unsaved work: to stop, and to start again.
  Milliseconds preempt_restart_cost{60'000};
  // An attempt runs at least so long before it gives way, where its QOS says nothing else; Slurm's
  // PreemptExemptTime.
  Milliseconds preempt_exempt_time{0};
  // A job gives way at most so often within the window, so that it gets on; 0: however often.
  std::int64_t preempt_budget = 4;
  Milliseconds preempt_budget_window{3'600'000};
  std::vector<GpuPrice> gpu_prices = {};
  Preference gpu_choice = Preference::Balanced;  // of jobs and partitions that do not say
  std::int64_t shards_per_gpu = 4;               // --gres=shard:2 is half a GPU
  Milliseconds max_switch_wait{300'000};         // Slurm's: of --switches without a time
  // Holes before a reservation are filled with work that saves, when they are at least so long; 0:
  // never.
  Milliseconds fill_min{600'000};
  std::vector<LicenceCount> licences = {};        // that the cluster has
  std::vector<std::string> topology_levels = {};  // their names, from the leaf switches upwards
};

}  // namespace cox
