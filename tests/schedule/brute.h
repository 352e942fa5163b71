// A brute-force scheduler, which shares no code with the scheduler that it checks. It tries every
// choice of nodes, every split of tasks and every set of victims, so it is only for worlds (nodes
// and jobs of a test) with few nodes.
#pragma once

#include <cstdint>
#include <optional>
#include <set>

#include "schedule/model/scheduler_input.h"

namespace cox::schedule {

// Returns whether the job fits on the available nodes beside the running jobs without those in
// `ended`. Supports nodes, tasks, tasks per node, CPUs, memory, GPUs by type, GRES and licences of
// one kind, exclusive, features, nodelist, topology, joined GPUs, contiguous nodes, and CPUs per
// node. If the request has alternatives, it checks only the first.
bool brute_fits(const SchedulerInput& world, const PendingJob& job, const std::set<JobId>& ended);

// Returns whether the job fits on exactly the nodes of the placement.
bool brute_allows(const SchedulerInput& world, const PendingJob& job, const Placement& placement);

// Returns the cost of preempting this job: its lost work in unit-milliseconds (units of resources
// times time) times the job's weight, and more if its preemption budget is spent.
std::int64_t brute_cost(const RunningJob& job, const Settings& settings);

// The cheapest set of victims that frees enough room for a job: the cost of all of them and their
// number. brute_victims() returns nullopt if no set frees enough room.
struct BruteVictims {
  std::int64_t cost = 0;
  std::size_t count = 0;
  bool operator==(const BruteVictims&) const = default;
};
std::optional<BruteVictims> brute_victims(const SchedulerInput& world, const PendingJob& job,
                                          const Settings& settings);

}  // namespace cox::schedule
