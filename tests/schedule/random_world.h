// Random worlds from a seed: never over-committed, small numbers so that things collide.
#pragma once

#include <cstdint>
#include <random>

#include "schedule/model/scheduler_input.h"

namespace cox::schedule {

inline constexpr std::int64_t licences_there = 3;

// With the levels and licences of random worlds.
Settings random_world_settings();

struct WorldShape {
  int nodes_max = 3;
  int running_max = 6;
  int pending_max = 1;
  bool all_limited = false;  // everything has a time limit
  bool preempting = true;    // tiers differ and jobs may be preempted
  bool suspending = false;   // some suspend, or are suspended
  bool reserving = false;    // there are advance reservations, and jobs in them
  bool quotas = false;       // jobs are of accounts, which have quotas of CPUs
  bool wishes = false;       // topology, features of parts of a gang, GRES, licences
};

SchedulerInput random_world(std::uint64_t seed, const WorldShape& shape);

}  // namespace cox::schedule
