// Random worlds from a seed: never over-committed, small numbers so that things collide.
#pragma once

#include <cstdint>
#include <random>

#include "schedule/plan.h"

namespace cox::schedule {

struct WorldShape {
  int nodes_max = 3;
  int running_max = 6;
  int pending_max = 1;
  bool all_limited = false;  // everything has a time limit
  bool preempting = true;    // tiers differ and jobs may be preempted
};

World random_world(std::uint64_t seed, const WorldShape& shape);

}  // namespace cox::schedule
