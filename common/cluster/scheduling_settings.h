// The policies by which the scheduler decides, with the names of the configuration, like Slurm's
// plugins. They are part of the scheduler's input: the same state and the same settings give the
// same plan.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/base/fields.h"
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

// Which nodes a gang takes among those that qualify (badness.h).
enum class PlacementPolicy : std::uint8_t {
  Fgd,        // nodes that leave the fewest free parts too small for the usual jobs (FGD, ATC'23)
  BestFit,    // nodes that have least left after the placement
  Packing,    // nodes with the fewest free GPUs
  Spreading,  // nodes that have most left after the placement
  LeastFree,  // nodes with the least free resources before the placement
};

const PolicyNames<PlacementPolicy>& placement_policies();

// How many of the queued jobs that cannot start now get a reservation, in priority order. 0: no job
// starts before the first queued one. 1: EASY backfill. `all`: conservative backfill.
struct Backfill {
  static constexpr std::int64_t all = std::numeric_limits<std::int64_t>::max();
  std::int64_t reservations = 1;
  COX_FIELDS(reservations);
  bool operator==(const Backfill&) const = default;
};
// Parses "none", "easy", "conservative" or a number from 1 to reservations_max.
std::optional<Backfill> backfill_from(std::string_view text);
inline constexpr std::int64_t reservations_max = 10'000;

// The order of the queue (schedule/queue/order.h).
enum class OrderPolicy : std::uint8_t {
  Multifactor,
  Fcfs,
  ShortestFirst,
  LeastAttained,
  ShortestRemaining,
  Gittins,
};

const PolicyNames<OrderPolicy>& order_policies();

// Weights of the multifactor order; factors are from 0 to 1. Age has no weight by default: a fixed
// number of points for each hour would suit only clusters on which jobs wait for similar times.
struct PriorityWeights {
  std::int64_t age = 0;
  std::int64_t shortness = 1'000;
  std::int64_t size = 0;
  // Slurm's PriorityFavorSmall: `size` counts for small jobs, not for large ones.
  bool favor_small = false;
  std::int64_t fair_share = 5'000;  // no effect before the first account exists
  std::int64_t partition = 0;
  std::int64_t qos = 0;
  std::int64_t tres_cpu = 0;
  std::int64_t tres_gpu = 0;
  // After this time in the queue the factor age is 1; Slurm's PriorityMaxAge. A job that has waited
  // so long goes first in its tier, as far as fair share lets it (schedule/queue/order.h). It does
  // so earlier, but not before max_age_min, if the longest wait of late is shorter.
  Milliseconds max_age{5'184'000'000};
  Milliseconds max_age_min{3'600'000};
  // A wait is forgotten after so many times its length (bench/generalise.md has how it was chosen).
  std::int64_t wait_memory = 5;

  COX_FIELDS(age, shortness, size, favor_small, fair_share, partition, qos, tres_cpu, tres_gpu,
             max_age, max_age_min, wait_memory);
};
inline constexpr std::int64_t priority_weight_max = 1'000'000'000;

// The largest weight of a victim's tier. The bound keeps sums of preemption costs exact as
// integers.
inline constexpr std::int64_t preempt_weight_max = 1'000;
inline constexpr std::int64_t preempt_budget_max = 1'000;

struct SchedulingSettings {
  OrderPolicy order = OrderPolicy::Multifactor;
  PriorityWeights priority = {};
  PlacementPolicy placement = PlacementPolicy::Fgd;
  Backfill backfill = {};
  // Whether small jobs that have saved are stopped and resumed elsewhere, if the first queued job
  // can start only then.
  bool moves = true;
  // How long an attempt runs at least before it is moved, or preempted by a job of its own tier
  // under an OrderPolicy that does so.
  Milliseconds order_exempt{600'000};
  // The fixed cost of a preemption, besides the unsaved work: the time in which a victim stops and
  // starts again.
  Milliseconds preempt_restart_cost{60'000};
  // An attempt runs at least this long before it is preempted, unless its QOS sets another time;
  // Slurm's PreemptExemptTime.
  Milliseconds preempt_exempt_time{0};
  // After so many preemptions within preempt_budget_window, no job of the same tier preempts the
  // job until the window has passed; 0: no such limit.
  std::int64_t preempt_budget = 4;
  Milliseconds preempt_budget_window{3'600'000};
  std::vector<GpuPrice> gpu_prices = {};
  // Which accepted GPU type a job gets, if neither it nor its partition names a preference.
  Preference gpu_choice = Preference::Balanced;
  // How many shards a GPU has; with 4, --gres=shard:2 is half a GPU.
  std::int64_t shards_per_gpu = 4;
  Milliseconds max_switch_wait{300'000};  // Slurm's; for --switches without a time
  // Before a reservation of other users, a job that cannot end in time may still start if its QOS
  // asks it to save and the gap is at least this long; 0: never.
  Milliseconds fill_min{600'000};
  std::vector<LicenceCount> licences = {};        // of the cluster
  std::vector<std::string> topology_levels = {};  // names of the levels, leaf switches first

  COX_FIELDS(fill_min, preempt_restart_cost, preempt_exempt_time, preempt_budget,
             preempt_budget_window, order, priority, placement, backfill, moves, order_exempt,
             gpu_prices, gpu_choice, shards_per_gpu, max_switch_wait, licences, topology_levels);
};

}  // namespace cox
