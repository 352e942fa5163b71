// The planted bugs: each is switched on by name in one of the simulator's own seams (a store or a
// machine that lies, a margin that is left out), and must be found within so many seeds, as what it
// is. A simulator that never complains proves nothing.
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
  TellsOfNoLoss,
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
};

struct PlantedRow {
  PlantedBug bug;
  std::string_view name;
  std::string_view what;
  // One of these is what the judge says.
  std::array<std::string_view, 4> complaints;
  std::vector<Fault> only = {};  // what shows it, where all faults together seldom do
  std::uint64_t first_seed = 1;  // of a bug that few seeds show, one shortly before such a seed
  std::uint64_t seeds_most = 300;
};

inline void PrintTo(const PlantedRow& row, std::ostream* out) {
  *out << row.name;
}

const std::vector<PlantedRow>& planted_table();
std::string_view name(PlantedBug bug);
std::optional<PlantedBug> planted_from(std::string_view name);

// Then memory is no copy of what is committed.
constexpr bool store_lies(PlantedBug bug) {
  return bug == PlantedBug::ForgetsLastCommit || bug == PlantedBug::ForgetsWaits ||
         bug == PlantedBug::WaitsForNobody || bug == PlantedBug::ReleasesTwice ||
         bug == PlantedBug::BelievesExitCodes || bug == PlantedBug::ForgetsHolds;
}

}  // namespace cox::sim
