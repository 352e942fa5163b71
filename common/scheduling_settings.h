// How an administrator wants the scheduler to decide: each policy by its name in the configuration,
// as Slurm chooses plugins. Part of the scheduler's input: the same world and the same settings
// give the same plan.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "common/time.h"

namespace cox {

// Which of the nodes that would do a gang takes (badness.h).
enum class PlacementPolicy : std::uint8_t {
  Fgd,        // where the least room becomes useless for the usual jobs (FGD, ATC'23)
  BestFit,    // where least of the node is left over
  Packing,    // where the fewest GPUs are free
  Spreading,  // where most is left over
  LeastFree,  // where the least room is free, in all
};
std::string_view name(PlacementPolicy policy);
std::optional<PlacementPolicy> placement_policy_from(std::string_view name);
std::string placement_policy_words();  // all names, for people

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

// Who is next (schedule/order.h).
enum class OrderPolicy : std::uint8_t {
  Multifactor,
  Fcfs,
  ShortestFirst,
  LeastAttained,
  ShortestRemaining,
};
std::string_view name(OrderPolicy policy);
std::optional<OrderPolicy> order_policy_from(std::string_view name);
std::string order_policy_words();

// Of the multifactor order. The defaults of age and shortness were found together: ten days of
// waiting are worth as much as a third of the way from a week's limit to a minute's
// (bench/README.md).
struct PriorityWeights {
  double age = 350;
  double shortness = 1'000;
  double size = 0;
  bool favor_small = false;  // Slurm's PriorityFavorSmall: small jobs get the weight of size
  double fair_share = 0;
  double qos = 0;
  double partition = 0;
  double tres_cpu = 0;                // for each CPU
  double tres_gpu = 0;                // for each GPU
  Milliseconds max_age{864'000'000};  // who has waited so long stands first; Slurm's PriorityMaxAge
};

struct SchedulingSettings {
  OrderPolicy order = OrderPolicy::Multifactor;
  PriorityWeights priority = {};
  PlacementPolicy placement = PlacementPolicy::Fgd;
  Backfill backfill = {};
  // An order that preempts lets a job run at least so long.
  Milliseconds order_exempt{600'000};
};

}  // namespace cox
