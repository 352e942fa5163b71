// Whom to ask to give way: the set of running jobs whose end provably lets the whole gang start and
// which loses the least work. Only lower tiers, only jobs that may be preempted and are not
// stopping yet, always whole gangs.
//
// Least is: fewest unit-seconds lost, then fewest victims, then lowest tiers, then youngest. Up to
// victims_exact_max candidates the search is exact; above, greedy by loss for what is usefully
// freed, then pruned so that no victim is needless.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "schedule/need.h"
#include "schedule/room.h"

namespace cox::schedule {

inline constexpr std::size_t victims_exact_max = 16;  // candidates that are searched exactly

// A RunningJob in positions of nodes.
struct Running {
  const RunningJob* job = nullptr;
  Shares shares;
  bool stopping = false;  // as it came, or chosen as a victim in this pass
};

// Work that ends with the job: units × milliseconds, whole numbers so that sums compare exactly.
std::int64_t loss_unit_ms(const RunningJob& job);

// Positions in `running`. `room`: free, and what is coming free anyway. Empty when no set of
// victims makes room, or when none is needed.
std::optional<std::vector<std::size_t>> choose_victims(const Need& need, const Nodes& nodes,
                                                       const Room& room,
                                                       const std::vector<Running>& running);

}  // namespace cox::schedule
