// What a pass decides about one queued job.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "schedule/model/resolved_request.h"
#include "schedule/model/room.h"
#include "schedule/model/scheduler_input.h"
#include "schedule/pass/consolidate.h"

namespace cox::schedule {

enum class Outcome : std::uint8_t {
  Starts,    // now
  Promised,  // starts when stopping attempts have ended
  Preempts,  // starts when its victims have ended
  Reserved,  // one of the first jobs that fit nowhere yet: a place is reserved for it
  // there is room, but other jobs come first: it is claimed or reserved for them
  Behind,
  NoRoom,       // it does not fit now, and no place is reserved for it
  Limited,      // one of its limits is reached
  NotOpen,      // its advance reservation is not open now
  Unavailable,  // does not fit on the available nodes even if they were idle
  Held,
};

struct Decision {
  PendingJob job;
  Outcome outcome = Outcome::Held;
  // The chosen alternative request, or else the first one, resolved to nodes. Owned by the engine;
  // null if the job is held.
  const ResolvedRequest* need = nullptr;
  GangParts shares;            // Starts, Promised, Preempts
  std::vector<JobId> victims;  // Preempts
  std::vector<Move> moves;     // Preempts: victims that continue elsewhere, or on fewer nodes
  std::optional<Boot> expected;
  std::optional<Milliseconds> time_limit;  // Starts: a shorter limit than the job asked for
  bool fills = false;                      // Starts: the job saves at that limit and is requeued
  bool others_first = false;  // there is room, but it is claimed or reserved for jobs before it
  // nothing is reserved for it, since running jobs without a time limit are in the way
  bool has_no_known_start = false;

  // Returns whether the job waits and nothing later in the pass makes room for another job of its
  // class.
  bool only_waits() const {
    return outcome == Outcome::Behind || outcome == Outcome::NoRoom ||
           outcome == Outcome::Limited || outcome == Outcome::NotOpen ||
           outcome == Outcome::Unavailable;
  }
};

// Returns when the job would end if it began at `begin`; empty if the limit or `begin` is unknown.
inline std::optional<Boot> end_if_begun(const PendingJob& job, std::optional<Boot> begin) {
  if (!job.time_limit || !begin) return std::nullopt;
  return *begin + *job.time_limit;
}

}  // namespace cox::schedule
