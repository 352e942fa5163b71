// Makes connected room for a gang by moving small jobs, which save and continue elsewhere. Jobs are
// moved only if the gang then fits and each of them has a new place. Used for the first queued jobs
// that nothing else makes room for.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "schedule/pass/preempt.h"

namespace cox::schedule {

inline constexpr std::size_t moves_max = 3;  // for one gang
// number of running jobs tried, the cheapest first; each try examines every node
inline constexpr std::size_t movable_tried_max = 64;
// number of queued jobs in a pass for which moves are tried, the first that fit nowhere
inline constexpr std::size_t moves_tried_max = 4;

struct Move {
  JobId job;
  GangParts home;
};

struct Consolidation {
  GangParts place;  // of the gang
  std::vector<Move> moves;
};

// Resolves the request of a running job for a restart on other nodes.
using NeedOfRunning = std::function<const ResolvedRequest&(const RunningJob&)>;

// Returns the moves that let the gang fit; empty if there are none. `room`: what is free or will be
// free anyway. `movable`: candidates and the cost of moving each.
std::optional<Consolidation> consolidate(const ResolvedRequest& need, const NeedOfRunning& need_of,
                                         const Nodes& nodes, const Room& room,
                                         std::span<const VictimCandidate> movable);

}  // namespace cox::schedule
