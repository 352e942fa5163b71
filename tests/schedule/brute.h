// The slow truth, written without the code under test: every choice of nodes, every split of tasks,
// every set of victims. For worlds of a few nodes.
#pragma once

#include <cstdint>
#include <optional>
#include <set>

#include "schedule/plan.h"

namespace cox::schedule {

// Whether the gang can stand on the available nodes beside what runs, less the jobs in `ended`.
// Understands nodes, tasks, tasks a node, CPUs, memory, GPUs by type, GRES and licences of one
// kind, exclusive, features, nodelist, topology; of a request the first alternative.
bool brute_fits(const World& world, const PendingJob& job, const std::set<JobId>& ended);

// Whether these nodes are such a choice.
bool brute_allows(const World& world, const PendingJob& job, const Placement& placement);

// The smallest loss in unit-milliseconds, and with how many victims: over all sets of jobs that may
// be preempted by `job`. Empty: no set makes room.
struct BruteVictims {
  std::int64_t loss = 0;
  std::size_t count = 0;
  bool operator==(const BruteVictims&) const = default;
};
std::optional<BruteVictims> brute_victims(const World& world, const PendingJob& job);

}  // namespace cox::schedule
