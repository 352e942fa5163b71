// Room for a gang that is there, but in pieces: small jobs are moved (they save, and go on
// elsewhere) when that lets the gang land, and only when every one of them has a new home. Asked
// when nothing else makes room, for the first in line.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "schedule/pass/preempt.h"

namespace cox::schedule {

inline constexpr std::size_t moves_max = 3;           // for one gang
inline constexpr std::size_t movable_tried_max = 64;  // the cheapest; each looks at every node
inline constexpr std::size_t moves_tried_max = 4;     // jobs in line, the first that fit nowhere

struct Move {
  JobId job;
  GangParts home;
};

struct Consolidation {
  GangParts place;  // the gang's
  std::vector<Move> moves;
};

// What a running job needs of a new home.
using NeedOfRunning = std::function<const ResolvedRequest&(const RunningJob&)>;

// `room`: free, and what is coming free anyway. `movable`: with what each move costs.
std::optional<Consolidation> consolidate(const ResolvedRequest& need, const NeedOfRunning& need_of,
                                         const Nodes& nodes, const Room& room,
                                         std::span<const VictimCandidate> movable);

}  // namespace cox::schedule
