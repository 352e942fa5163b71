// The slow truth, written without the code under test: every choice of nodes, every split of tasks,
// every set of victims. For worlds of a few nodes.
#pragma once

#include <cstdint>
#include <optional>
#include <set>

#include "schedule/model/scheduler_input.h"

namespace cox::schedule {

// Whether the gang can stand on the available nodes beside what runs, less the jobs in `ended`.
// Understands nodes, tasks, tasks a node, CPUs, memory, GPUs by type, GRES and licences of one
// kind, exclusive, features, nodelist, topology, joined GPUs, nodes next to one another, CPUs of
// each node; of a request the first alternative.
bool brute_fits(const SchedulerInput& world, const PendingJob& job, const std::set<JobId>& ended);

// Whether these nodes are such a choice.
bool brute_allows(const SchedulerInput& world, const PendingJob& job, const Placement& placement);

// What it costs when this job is preempted: unit-milliseconds lost, times its weight,
// and more if its budget is spent.
std::int64_t brute_cost(const RunningJob& job, const Settings& settings);

// The smallest cost, and with how many victims: over all sets of jobs that may be preempted by
// `job`. Empty: no set makes room.
struct BruteVictims {
  std::int64_t cost = 0;
  std::size_t count = 0;
  bool operator==(const BruteVictims&) const = default;
};
std::optional<BruteVictims> brute_victims(const SchedulerInput& world, const PendingJob& job,
                                          const Settings& settings);

}  // namespace cox::schedule
