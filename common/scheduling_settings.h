// How an administrator wants the scheduler to decide: each policy by its name in the configuration,
// as Slurm chooses plugins. Part of the scheduler's input: the same world and the same settings
// give the same plan.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>

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

struct SchedulingSettings {
  PlacementPolicy placement = PlacementPolicy::Fgd;
  Backfill backfill = {};
};

}  // namespace cox
