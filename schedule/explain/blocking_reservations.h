// Advance reservations that keep a job from starting now, in words: for the reply to a submission,
// and for explanations. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "schedule/engine/engine.h"

namespace cox::schedule {

// Returns the current or next occurrence; null if all are over.
const AdvanceReservation::Occurrence* next_of(const AdvanceReservation& one, Boot now);

// Returns "n[1-4] are reserved until 2026-11-21T10:30:00Z: maint, for maintenance"; for a future
// reservation "from" its begin. `what`: the nodes in words; `count`: their number.
std::string reserved_text(const std::string& what, std::size_t count, const AdvanceReservation& one,
                          Now now);

// Returns whether the job may use the reservation: one of its alternative requests names it.
bool may_be_in(const PendingJob& job, const AdvanceReservation& one);

// Returns why a job that may use the reservation cannot: it has no time limit, or too long a one.
// Empty if the job may not use it, or can.
std::string unused_text(const PendingJob& job, const AdvanceReservation& one, Now now);

// Returns a line for each reservation without which the job would start now, at most three. The one
// that allows the longest time limit comes first, then the others by begin. Empty if the job
// starts, or waits for something else as well.
std::vector<std::string> lines_in_the_way(Engine& engine, const PendingJob& job, Now now);

}  // namespace cox::schedule
