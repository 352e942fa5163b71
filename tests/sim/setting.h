// What is to be played: a seed, and what is left out of it.
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
  bool tell_all = false;         // what happens, as it happens
  Coverage* coverage = nullptr;  // counts there
};

struct Outcome {
  std::string violation;      // empty: none
  std::string story;          // of the violation: what happened last
  std::vector<Fault> faults;  // that were in use
  std::uint64_t digest = 0;   // of every line of the story
  std::int64_t jobs = 0;      // that were to be submitted, with those that were left out
};

// Runs one seed.
Outcome simulate(const Setting& setting);

// The arguments of ./dev sim that play it again.
std::string arguments_of(const Setting& setting);

}  // namespace cox::sim
