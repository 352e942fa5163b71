// Plays many seeds on several processors. Of the first that fails, leaves out the faults and jobs
// without which it still fails.
#pragma once

#include <cstdint>
#include <string>

#include "tests/sim/coverage.h"
#include "tests/sim/setting.h"

namespace cox::sim {

struct Played {
  std::string story;  // the log of the first seed that failed; empty: none did
  Coverage coverage;
};

// Plays `seeds` seeds from setting.seed on, in `processes` processes.
Played play(const Setting& setting, std::uint64_t seeds, int processes);

// Leaves out faults and jobs one by one as long as the seed still fails, with at most `tries`
// tries.
Setting minimised(const Setting& setting, const Outcome& failed, int tries = 60);

}  // namespace cox::sim
