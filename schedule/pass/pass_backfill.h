// Backfilling in a pass. While no job waits, there are no reservations, and only the ends of
// decided jobs are recorded. When the first job waits, these ends and those of running jobs become
// the timeline (timeline.h).
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "schedule/pass/backfill.h"
#include "schedule/pass/decided_jobs.h"
#include "schedule/pass/pass_rooms.h"

namespace cox::schedule {

class PassBackfill {
 public:
  PassBackfill(const PassFacts& facts, const PassRooms& rooms, const DecidedJobs& decided)
      : facts_(facts), rooms_(rooms), decided_(decided) {}

  // Null while no job has had to wait.
  Reservations* reservations() { return reservations_ ? &*reservations_ : nullptr; }
  const Reservations* reservations() const { return reservations_ ? &*reservations_ : nullptr; }
  // Returns the reservations; makes them if there are none. Called when a job waits.
  Reservations& begin();

  // Records that a job starts on `shares` and ends by `end` (empty: unknown).
  void note_start(const GangParts& shares, std::optional<Boot> end);
  // Records that a suspended job resumes. `suspended`: what all suspended jobs hold.
  void note_resume(const Running& running, std::optional<Boot> end,
                   std::span<const GangParts* const> suspended);
  // Records that room is promised to a job that is expected to begin at `begin`. That is uncertain,
  // so if there are reservations the timeline never frees this room.
  void note_promise(const GangParts& shares, const PendingJob& job, std::optional<Boot> begin);
  // Records that a job without a time limit will run on `shares`, by a decision of an earlier pass.
  void note_endless(const GangParts& shares) { endless_.push_back(shares); }

  // Returns the room in which a job of unknown length may be tried once all stopping attempts have
  // ended, without what reservations need.
  Room open_coming() const;
  // Returns when the stopping attempts on these nodes will have ended. Empty: unknown for one of
  // them.
  std::optional<Boot> gone_by(const GangParts& shares) const;
  // Returns the room that would be free if only jobs without a time limit ran, and those of them
  // that have reservations. What does not fit there may have to wait for ever.
  Room beside_endless() const;

 private:
  Timeline timeline() const;

  const PassFacts& facts_;
  const PassRooms& rooms_;
  const DecidedJobs& decided_;
  std::vector<Release> releases_;   // known ends of what this pass starts and promises
  std::vector<GangParts> endless_;  // what it starts and promises without a known end
  std::optional<Reservations> reservations_;
};

}  // namespace cox::schedule
