// EASY backfilling: the first job that cannot start holds the one reservation, and whoever comes
// after it may have room only if that provably does not delay it.
//
//   shadow time known      a later job ends before it, or the reserved job still fits at that time
//                          beside everything that was let past
//   shadow time unknown    (somebody runs without a limit) a place is held for the reserved job,
//                          what is free of it stays free, and later jobs take what is spare
#pragma once

#include <optional>

#include "schedule/timeline.h"

namespace cox::schedule {

class Reservation {
 public:
  // `free`: room that may be used now; the held place uses it first, so that what has been
  // gathered for the job is not given away.
  Reservation(const Nodes& nodes, Need need, const Timeline& timeline, Boot now, const Room& idle,
              const Room& free);

  const PendingJob& job() const { return *need_.job; }
  std::optional<Boot> shadow() const { return shadow_; }

  // The part of `room` in which a later job may be tried; allows() has the last word.
  Room open(const Room& room) const;

  // The part of `room` that the reserved job does not need: whatever fits there is allowed.
  Room spare(const Room& room) const;

  // `end`: when the later job is over; empty: unknown. `freed`: what its victims leave for good.
  bool allows(const Shares& shares, std::optional<Boot> end, const Shares& freed = {}) const;

  // A later job was let past.
  void let_past(const Shares& shares, std::optional<Boot> end, const Shares& freed = {});

 private:
  bool over_by_shadow(std::optional<Boot> end) const { return shadow_ && end && *end <= *shadow_; }

  const Nodes& nodes_;
  Need need_;
  std::optional<Boot> shadow_;
  Room then_;    // free at the shadow time; the idle cluster when that is unknown
  Shares held_;  // the reserved job's place in it
};

}  // namespace cox::schedule
