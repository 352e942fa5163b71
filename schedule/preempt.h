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
#include <span>
#include <vector>

#include "schedule/need.h"
#include "schedule/room.h"

namespace cox::schedule {

inline constexpr std::size_t victims_exact_max = 16;  // candidates that are searched exactly

// A RunningJob in positions of nodes.
struct Running {
  RunningJob job;
  Shared<Shares> shares;
  double priority = 0;  // by an order that preempts: as if it stood in line now
};

// Work that ends with the job: units × milliseconds, whole numbers so that sums compare exactly.
std::int64_t loss_unit_ms(const RunningJob& job, Boot now);

// What is lost when it gives way to this job, to compare victims by; empty when it does not. A
// lower tier gives way, and with an order that preempts one of the same tier that has run for long
// enough and stands behind: of those the loss is the worth of what stops.
std::optional<std::int64_t> loss_if_it_yields(const Settings& settings, const PendingJob& to,
                                              const Running& running, Boot now);

struct Yielding {
  const Running* running = nullptr;
  std::int64_t loss = 0;
};

// `room`: free, and what is coming free anyway. Empty when no set of victims makes room, or when
// none is needed.
std::optional<std::vector<JobId>> choose_victims(const Need& need, const Nodes& nodes,
                                                 const Room& room,
                                                 std::span<const Yielding> yielding);

}  // namespace cox::schedule
