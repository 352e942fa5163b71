// Backfilling. The first jobs that cannot start get reservations, as many as the settings say.
// Beyond these, the first job of each account gets one, up to accounts_max. Otherwise nodes would
// be drained for one account at a time, while jobs of other accounts that wait for other nodes
// starve. Later jobs get room only if that provably delays none of the reserved jobs.
//
//   time known      a later job must end before that time or leave the reserved place free. The
//                   only reservation may instead move to another place at its time (EASY)
//   time uncertain  (jobs that end in time have not begun, or may be preempted later) a place is
//                   held for the job: its free part stays free, later jobs get what is spare, and
//                   no further job gets a reservation
//   no known time   (a running job without a time limit is in the way, or the time is further off
//                   than the window) nothing is reserved: the nodes would be idle for nobody knows
//                   how long. The job starts when enough nodes become free
//
// If the settings allow no reservations, no queued job may start before the first that waits.
#pragma once

#include <map>
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
  std::size_t claim = 0;  // position in the timeline's claims, if `at` is known
};

class Reservations {
 public:
  // `timeline`: the state of the pass when the first job waits. `idle`: the idle cluster. `free`:
  // the room that may be used now, which keeps changing. REQUIRES: `nodes` and the rooms outlive
  // this.
  Reservations(const Nodes& nodes, Backfill policy, Timeline timeline, const Room& idle,
               const Room& free);

  // The first jobs of further accounts get reservations until there are so many in all. Each
  // reservation costs work for every later job.
  static constexpr std::size_t accounts_max = 8;
  bool may_add(std::int64_t account) const;
  // Returns whether a job waits and no further job gets a reservation. `accounts`: the accounts of
  // all queued jobs, as keys.
  bool is_full(const std::map<std::int64_t, std::int64_t>& accounts) const;
  // A reservation that begins later is not made, as with Slurm's bf_window. It is longer than usual
  // time limits, so that a stream of jobs with such limits does not delay a large job for ever.
  static constexpr Milliseconds window = std::chrono::days{30};
  // Number of jobs without a known start within the window that a pass looks at. Each costs a
  // search through the timeline. After these, no further job gets a reservation.
  static constexpr std::size_t unreserved_max = 8;
  enum class Added : std::uint8_t { Reserved, TooLate, Unknown };
  // Reserves a place at the earliest time at which one of the needs fits; the first need if several
  // fit then. Reserves nothing if that time is not within the window, or unknown. REQUIRES:
  // may_add(), and `stretches` is not empty.
  Added add(const PendingJob& job, std::span<const Stretch> stretches, Boot now);
  // Holds a place for a job whose start time is uncertain. The place prefers free room, so that
  // free room is not given away. REQUIRES: may_add(), and the idle cluster holds the need.
  void hold(const PendingJob& job, const ResolvedRequest& need);
  // Reserves the CPUs of a suspended job at the earliest time at which all are free. This does not
  // count as one of the reservations of queued jobs. If the time is unknown, the free ones of its
  // CPUs are reserved. Returns the time, if known.
  std::optional<Boot> add_resume(const GangParts& cpus, Boot now,
                                 std::optional<Milliseconds> lasts);
  // Returns whether a suspended job may resume without using what is reserved for jobs before it.
  // `suspended`: what all suspended jobs hold. If the job with a held place (HeldPlace) needs what
  // suspended jobs hold, its place is ignored: otherwise each would wait for the other.
  bool lets_resume(const GangParts& cpus, std::optional<Boot> end,
                   std::span<const GangParts* const> suspended) const;
  // Records that a suspended job resumes on these CPUs; it already holds `rest`.
  void resumed(const GangParts& cpus, const Shared<GangParts>& rest, std::optional<Boot> end,
               std::span<const GangParts* const> suspended);
  std::optional<Boot> end_of(const Shared<GangParts>& held, std::optional<Boot> otherwise) const {
    return timeline_.end_of(held, otherwise);
  }
  // Records that a queued job waits. If the settings allow no reservations, no later job may start.
  void note_waiting() { waits_ = true; }
  const std::vector<Reserved>& all() const { return reserved_; }
  const std::vector<Claim>& claims() const { return timeline_.claims(); }
  // Returns the place that is now reserved by all()[reserved].
  const GangParts& place_of(std::size_t reserved) const {
    return reserved_[reserved].at ? timeline_.claims()[reserved_[reserved].claim].shares
                                  : held_->shares;
  }
  // Returns when and where a job with these needs would fit beside all reservations, if it runs for
  // `lasts`. Empty: unknown.
  std::optional<Timeline::Fit> estimate(std::span<const Stretch> stretches,
                                        std::optional<Milliseconds> lasts) const;

  // Returns whether there is only one reservation and it begins at a known time, so that it may
  // move to another place.
  bool may_move() const {
    return reserved_.size() == 1 && !held_ && timeline_.claims().size() == 1 && kept_.empty();
  }
  // Returns whether no queued job may start before the first one that waits. Suspended jobs may
  // still resume, since that job may be waiting for them.
  bool allows_no_backfill() const { return policy_.reservations == 0 && waits_; }
  // Returns whether a job that ends by `end` cannot delay any reservation, on whichever nodes it
  // runs.
  bool ignores(std::optional<Boot> end) const;

  // Returns the part of `room` in which to try to place a later job that ends by `end` (empty:
  // unknown). Whether it may start on the place found, allows() decides.
  Room open(const Room& room, std::optional<Boot> end) const;
  // Returns the part of `room` that the reserved jobs do not need. Whatever fits there is allowed.
  Room spare(const Room& room, std::optional<Boot> end) const;
  // Returns the part of `room` that jobs with reservations made before that of `job` do not need.
  // If the job has no reservation, returns spare().
  Room spare_beside(JobId job, const Room& room, std::optional<Boot> end) const;
  // Returns spare() of the room on which jobs may start now, right only on the nodes `some`. The
  // result is cached during the pass.
  const Room& spare_now(std::optional<Boot> end, std::span<const NodeAt> some);
  // Returns whether a job on `shares` until `end` delays no reservation. `freed`: room of its
  // victims.
  bool allows(const GangParts& shares, std::optional<Boot> end,
              std::span<const Freed> freed = {}) const;

  // Record what the pass decides: a job starts, room is promised, jobs stop. Room of a start must
  // be taken from `free` before.
  void started(const GangParts& shares, std::optional<Boot> end);
  void promised(const GangParts& shares, std::optional<Boot> end);
  void stopped(std::span<const Freed> freed, Boot now);

 private:
  // The place that is held for a job whose start time is uncertain.
  struct HeldPlace {
    const ResolvedRequest* need = nullptr;
    GangParts shares;
    Room idle;  // the idle cluster without what later jobs were allowed to take
  };

  // The spare part of the free room for jobs that are still running when these claims begin.
  struct Window {
    std::vector<bool> claims;  // for each claim of the timeline, whether it is one of these
    Room room;
    std::vector<bool> limited;  // by node: whether the room there is the spare part already
  };

  std::vector<bool> claims_before(std::optional<Boot> end) const;
  bool leaves(const Claim& claim, const GangParts& shares, std::span<const Freed> freed) const;
  bool is_kept_in_vain(std::span<const GangParts* const> suspended) const;
  void limit(Window& window, NodeAt at);
  void settle();

  const Nodes& nodes_;
  Backfill policy_;
  Timeline timeline_;
  const Room& idle_;
  const Room& free_;
  std::vector<Reserved> reserved_;
  std::size_t unreserved_ = 0;   // number of jobs for which add() reserved nothing
  std::vector<GangParts> kept_;  // reserved CPUs of suspended jobs for which no time is known
  std::size_t resumes_timed_ = 0;
  bool waits_ = false;
  std::optional<HeldPlace> held_;
  std::vector<Window> windows_;
};

}  // namespace cox::schedule
