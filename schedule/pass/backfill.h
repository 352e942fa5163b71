// Backfilling: the first jobs that cannot start hold reservations, as many as the settings say, and
// so does the first of each account beyond these, up to accounts_max: else nodes are drained for
// one account's jobs at a time, and those of another that wait for other nodes starve. Who comes
// after them may have room only if that provably delays none of them.
//
//   time known      a later job ends before it, or leaves the reserved place alone; the place of an
//                   only reservation moves when it fits elsewhere at the same time (EASY)
//   time unknown    (somebody runs without a limit) a place is held for the job, what is free of it
//                   stays free, and later jobs take what is spare; no further job is reserved for
//
// With no reservations at all, nobody passes the first that waits.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "schedule/pass/timeline.h"
#include "schedule/place/advance.h"

namespace cox::schedule {

struct Reserved {
  JobId job;
  std::int64_t account = 0;
  const ResolvedRequest* need = nullptr;
  std::optional<Boot> at;
  std::size_t claim = 0;  // in the timeline, where a time is known
};

class Reservations {
 public:
  // `timeline`: as the pass stands when the first job waits. `idle`: the idle cluster. `free`: room
  // that may be used now, which goes on changing. REQUIRES: nodes and rooms outlive this.
  Reservations(const Nodes& nodes, Backfill policy, Timeline timeline, const Room& idle,
               const Room& free);

  static constexpr std::size_t accounts_max = 8;  // each is looked at for each job behind it
  bool may_add(std::int64_t account) const;
  // At the earliest time that one of the needs fits, the first of them where it makes no
  // difference. A place without a known time uses free room first, so that what has been gathered
  // is not given away. REQUIRES: may_add(), there are some, and the idle cluster holds each of the
  // needs.
  void add(const PendingJob& job, std::span<const Stretch> stretches, Boot now);
  // Of a suspended job, which goes on where it is: its CPUs at the earliest time that all of them
  // are free, beside the reservations of jobs in line and however many those are. Without a known
  // time what is free of them is kept.
  std::optional<Boot> add_resume(const GangParts& cpus, Boot now,
                                 std::optional<Milliseconds> lasts);
  // Whether a suspended job may go on: not on what is kept for those before it. `suspended`: what
  // all of them hold. A job that could not have its place anyway while they stand still waits for
  // them: nobody may wait for it in turn.
  bool lets_resume(const GangParts& cpus, std::optional<Boot> end,
                   std::span<const GangParts* const> suspended) const;
  // It does, and holds the rest already.
  void resumed(const GangParts& cpus, const Shared<GangParts>& rest, std::optional<Boot> end,
               std::span<const GangParts* const> suspended);
  std::optional<Boot> end_of(const Shared<GangParts>& held, std::optional<Boot> otherwise) const {
    return timeline_.end_of(held, otherwise);
  }
  // A job in line waits: with no reservations at all nobody passes it.
  void note_waiting() { waits_ = true; }
  const std::vector<Reserved>& all() const { return reserved_; }
  // The place of one of all(), as it is now.
  const GangParts& place_of(std::size_t reserved) const {
    return reserved_[reserved].at ? timeline_.claims()[reserved_[reserved].claim].shares
                                  : held_->shares;
  }
  // When it would fit beside all of these. Empty: not known.
  std::optional<Timeline::Fit> estimate(std::span<const Stretch> stretches,
                                        std::optional<Milliseconds> lasts) const;

  // There is one, and its place may move.
  bool may_move() const {
    return reserved_.size() == 1 && !held_ && timeline_.claims().size() == 1 && kept_.empty();
  }
  // Nobody in line. A suspended job is not held back by that: the first may be waiting for it.
  bool nobody_passes() const { return policy_.reservations == 0 && waits_; }
  // Whoever is over by then is in nobody's way, wherever it stands.
  bool ignores(std::optional<Boot> end) const;

  // The part of `room` in which a later job may be tried; allows() has the last word. `end`: when
  // it is over; empty: unknown.
  Room open(const Room& room, std::optional<Boot> end) const;
  // The part of `room` that the reserved jobs do not need: whatever fits there is allowed.
  Room spare(const Room& room, std::optional<Boot> end) const;
  // As spare(), for a job that may be reserved itself: beside those that were reserved before it.
  Room spare_beside(JobId job, const Room& room, std::optional<Boot> end) const;
  // Of the free room: kept while the pass goes on.
  const Room& spare_now(std::optional<Boot> end);
  bool allows(const GangParts& shares, std::optional<Boot> end,
              std::span<const Freed> freed = {}) const;

  // What the pass decides goes on being reckoned with; of what starts, the free room is less by
  // now.
  void started(const GangParts& shares, std::optional<Boot> end);
  void promised(const GangParts& shares, std::optional<Boot> end);
  void stopped(std::span<const Freed> freed, Boot now);

 private:
  struct HeldPlace {  // of a job whose time is unknown
    const ResolvedRequest* need = nullptr;
    GangParts shares;
    Room idle;  // the idle cluster, less what was let past
  };

  // What is spare of the free room for jobs that are still there when these claims begin.
  struct Window {
    std::vector<bool> claims;
    Room room;
  };

  std::vector<bool> claims_before(std::optional<Boot> end) const;
  bool leaves(const Claim& claim, const GangParts& shares, std::span<const Freed> freed) const;
  bool is_kept_in_vain(std::span<const GangParts* const> suspended) const;
  void settle();

  const Nodes& nodes_;
  Backfill policy_;
  Timeline timeline_;
  const Room& idle_;
  const Room& free_;
  std::vector<Reserved> reserved_;
  std::vector<GangParts> kept_;  // CPUs of suspended jobs whose time is not known
  std::size_t resumes_timed_ = 0;
  bool waits_ = false;
  std::optional<HeldPlace> held_;
  std::vector<Window> windows_;
};

}  // namespace cox::schedule
