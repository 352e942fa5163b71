// Finds the kinds of jobs (pending_queue.h) of which no job can start any more in a pass, whatever
// its account and its limits. The pass closes such a kind, so that it need not decide on each of
// its classes: with many accounts these are many. Once closed, a kind stays so, since free room
// only decreases during a pass. If a later preemption frees more than its preemptor needs, the jobs
// of a closed kind get the rest in the next pass.
//
// A kind that is not closed may still have no job that starts.
#pragma once

#include <cstdint>
#include <tuple>
#include <unordered_map>

#include "schedule/pass/gang_placer.h"
#include "schedule/pass/victim_search.h"

namespace cox::schedule {

class ClosedKinds {
 public:
  ClosedKinds(const PassFacts& facts, const DecidedJobs& decided, const PassRooms& rooms,
              const QuotaRound& quotas, const PassBackfill& backfill, GangPlacer& placer,
              VictimSearch& victims)
      : facts_(facts),
        decided_(decided),
        rooms_(rooms),
        quotas_(quotas),
        backfill_(backfill),
        placer_(placer),
        victims_(victims) {}

  // Returns whether no job of the kind of this job can start, be promised room, preempt or get a
  // reservation. Called for a job that had to wait, or was put off because of quotas.
  bool closes(const PendingQueue::At& at);

 private:
  // What the answer for a kind depends on. While it stays the same, a kind that is not closed is
  // not examined again.
  using Version = std::tuple<std::size_t, std::size_t, std::int64_t>;

  bool may_start(const PendingJob& job);
  bool is_stopping_any() const;

  const PassFacts& facts_;
  const DecidedJobs& decided_;
  const PassRooms& rooms_;
  const QuotaRound& quotas_;
  const PassBackfill& backfill_;
  GangPlacer& placer_;
  VictimSearch& victims_;
  std::unordered_map<std::int64_t, Version> open_at_;  // by PendingQueue::Kind::number
};

}  // namespace cox::schedule
