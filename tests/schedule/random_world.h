// Makes random worlds (nodes, running and pending jobs) from a seed. No resource in them is granted
// twice, and their numbers are small, so that jobs compete.
#pragma once

#include <cstdint>
#include <random>

#include "schedule/model/scheduler_input.h"

namespace cox::schedule {

inline constexpr std::int64_t licences_there = 3;

// Returns the scheduler's settings for random worlds: their topology levels and licences.
Settings random_world_settings();

struct WorldShape {
  int nodes_max = 3;
  int running_max = 6;
  int pending_max = 1;
  bool all_limited = false;  // every job has a time limit
  bool preempting = true;    // tiers differ, and jobs may be preempted
  bool suspending = false;   // some jobs are suspended, or are if they are preempted
  bool reserving = false;    // there are advance reservations with jobs in them
  bool quotas = false;       // jobs are in accounts that have quotas of CPUs
  bool wishes = false;       // topology, features of some nodes of a gang, GRES, licences
};

SchedulerInput random_world(std::uint64_t seed, const WorldShape& shape);

}  // namespace cox::schedule
