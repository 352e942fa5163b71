// The planted bugs, each switched on by its name. A planted bug acts at a place made for it in the
// simulator: a store or a machine that lies, a margin that is left out. It must be found within a
// number of seeds, with the expected violation; otherwise the simulator proves nothing.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <ostream>
#include <string_view>
#include <vector>

#include "tests/sim/faults.h"

namespace cox::sim {

enum class PlantedBug : std::uint8_t {
  None,
  GoesHoweverLate,
  FreezesInWordsOnly,
  GoesUnasked,
  LeaseNeverEnds,
  ForgetsLastCommit,
  CountsUsageTwice,
  ForgetsLimits,
  NeverCloses,
  ForgetsWaits,
  WaitsForNobody,
  ReleasesTwice,
  TakesAmbiguousForLost,
  TakesLostForCommitted,
  WritesUnfenced,
  ObeysLowerTerms,
  LeavesOutTheGrace,
  DriftsBeyondTheBound,
  ForgetsItsAttempts,
  ClaimsMoreThanThereIs,
  RestartsFromZero,
  SealsNothing,
  ReportsNoLoss,
  RefusesWhatItDoes,
  TakesGraceFromLimit,
  RequeuesAtOnce,
  ForgetsAttempts,
  ForgetsHolds,
  BelievesExitCodes,
  KeepsNoCheckpoint,
  WarnsAtRequeue,
  IssuesIdsAgain,
  ForgetsFailovers,
  TakesAnothersStep,
  ForgetsCrontabs,
  ForgetsThatItAsked,
  HidesItsNewSpool,
  BelievesItsClock,
};

struct PlantedRow {
  PlantedBug bug;
  std::string_view name;
  std::string_view what;
  // The judge must report one of these violations.
  std::array<std::string_view, 4> complaints;
  // The only faults to use, if the bug is seldom found among all faults; empty: all.
  std::vector<Fault> only = {};
  // The seed to begin with: shortly before one that finds the bug, which saves time.
  std::uint64_t first_seed = 1;
  std::uint64_t seeds_most = 300;
};

inline void PrintTo(const PlantedRow& row, std::ostream* out) {
  *out << row.name;
}

const std::vector<PlantedRow>& planted_table();
std::string_view name(PlantedBug bug);
std::optional<PlantedBug> planted_from(std::string_view name);

// Returns whether the bug makes the controller's memory differ from what is committed.
constexpr bool store_lies(PlantedBug bug) {
  return bug == PlantedBug::ForgetsLastCommit || bug == PlantedBug::ForgetsWaits ||
         bug == PlantedBug::WaitsForNobody || bug == PlantedBug::ReleasesTwice ||
         bug == PlantedBug::BelievesExitCodes || bug == PlantedBug::ForgetsHolds;
}

}  // namespace cox::sim
