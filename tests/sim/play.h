// Many seeds, on all processors that are given; and of the first that fails, as little as still
// fails.
#pragma once

#include <cstdint>
#include <string>

#include "tests/sim/coverage.h"
#include "tests/sim/setting.h"

namespace cox::sim {

struct Played {
  std::string story;  // of a seed that failed; empty: none did
  Coverage coverage;
};

// The seeds from setting.seed on, in so many processes.
Played play(const Setting& setting, std::uint64_t seeds, int processes);

// Leaves out one fault and one job after the other as long as it still fails, with at most so many
// tries.
Setting minimised(const Setting& setting, const Outcome& failed, int tries = 60);

}  // namespace cox::sim
