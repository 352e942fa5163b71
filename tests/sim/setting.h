// What the simulator plays: a seed, and the faults and jobs that are left out of it.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "tests/sim/faults.h"
#include "tests/sim/planted.h"

namespace cox::sim {

class Coverage;

struct Setting {
  std::uint64_t seed = 1;
  PlantedBug planted = PlantedBug::None;
  FaultChoice faults;
  std::set<std::int64_t> without_jobs;
  bool is_long = false;          // more jobs, more nodes, and faults for longer
  bool prints_all = false;       // print every line of the log as it is written
  Coverage* coverage = nullptr;  // null: coverage is not counted
};

struct Outcome {
  std::string violation;      // empty: none
  std::string story;          // the last lines of the log, before the violation
  std::vector<Fault> faults;  // the faults that the seed used
  std::uint64_t digest = 0;   // hash of every line of the log
  std::int64_t jobs = 0;      // planned submissions, including those left out
};

// Runs one seed.
Outcome simulate(const Setting& setting);

// Returns the arguments of ./dev sim that play the setting again.
std::string arguments_of(const Setting& setting);

}  // namespace cox::sim
