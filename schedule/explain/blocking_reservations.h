// Advance reservations that keep a job from starting now, and the words for it: for who has just
// submitted it, and for explanations. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "schedule/pass/engine.h"

namespace cox::schedule {

// The one that is on, or the next. Null: all are over.
const AdvanceReservation::Occurrence* next_of(const AdvanceReservation& one, Boot now);

// "n[1-4] are reserved until 2026-11-21T10:30:00Z: maint, for maintenance"; of one that is to come
// from when. `what`: the nodes, in words.
std::string reserved_text(const std::string& what, std::size_t count, const AdvanceReservation& one,
                          Now now);

// Whether the job may be in the reservation: one of the requests that would serve it is in there.
bool may_be_in(const PendingJob& job, const AdvanceReservation& one);

// Why a job that may be in the reservation cannot use it: it has no time limit, or too long a one.
// Empty: it may not be in it, or that is not why.
std::string unused_text(const PendingJob& job, const AdvanceReservation& one, Now now);

// One line each, the first to begin first, as many as a person reads: of those without which the
// job would start now. Empty when it does start, or waits for something else as well.
std::vector<std::string> lines_in_the_way(Engine& engine, const PendingJob& job, Now now);

}  // namespace cox::schedule
