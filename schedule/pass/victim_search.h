// Searches the running jobs to be preempted for a queued job, by tier and by quota. The pass
// decides and records the victims with stop().
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <set>
#include <tuple>
#include <vector>

#include "schedule/pass/pass_backfill.h"
#include "schedule/pass/pass_limits.h"

namespace cox::schedule {

// A preemption for a queued job that will be possible at a later time.
struct LaterPreemption {
  Boot at;
  std::vector<JobId> victims;
  GangParts place;
  Room left;  // the room after the victims have ended and the job has its place
};

class VictimSearch {
 public:
  VictimSearch(const PassFacts& facts, DecidedJobs& decided, PassRooms& rooms, QuotaRound& quotas,
               const PassBackfill& backfill, const PassLimits& limits)
      : facts_(facts),
        decided_(decided),
        rooms_(rooms),
        quotas_(quotas),
        backfill_(backfill),
        limits_(limits) {}

  // Returns victims whose end lets the job start, and resolves the decision's need for the time
  // when they have ended. Empty: preemption does not help now.
  std::optional<Victims> find(Decision& decision);
  // Returns whether find() may help a job that differs from this one at most in its account and
  // limits. May be true although no such job finds victims.
  bool may_find_for_kind(const PendingJob& job, const ResolvedRequest& need);
  // Returns when and how a waiting job will be able to preempt jobs that are exempt now, as far as
  // known. Empty: never.
  std::optional<LaterPreemption> find_later(const Decision& decision);
  // Returns the room after all jobs that may be preempted for this one have ended, including what
  // is reserved for others.
  Room room_if_all_preempted(const Decision& decision);
  // Returns the room for the decision's job after these victims have ended.
  Room room_without(const Victims& victims, const Decision& decision, Boot at) const;
  // Returns what the victims free, and until when they would have held it.
  std::vector<Freed> freed_by(const Victims& victims) const;

  // Records that the pass stops these jobs.
  void stop(const Victims& victims);

 private:
  std::optional<Victims> find_at(const Decision& decision, Boot at);
  std::optional<LaterPreemption> find_place_at(const Decision& later, Boot at);
  std::optional<Victims> by_tier_and_quota(const Decision& decision, Boot at);
  std::optional<Victims> choose(const Decision& decision, const std::optional<Reclaim>& by_quota,
                                Boot at);
  PreemptableJobs preemptable_for(const Decision& decision, const std::optional<Reclaim>& reclaim,
                                  Boot at);
  std::optional<VictimCandidate> yielding(const Decision& decision, const Running& running,
                                          const std::optional<Reclaim>& reclaim,
                                          std::set<JobId>& reclaimed, Boot at) const;
  std::optional<Reclaim> reclaim_for(const Decision& decision) const;
  std::int64_t highest_preemptable_tier(const Decision& decision) const;
  std::int64_t highest_tier_by_order(const PendingJob& job) const;
  bool has_victim_by_tier(const PendingJob& job) const;
  const std::vector<const Running*>& above_share();
  Room room_for(const Decision& decision, Boot at) const;

  // What above_share_ depends on: the accounts above their share, the number of victims, and the
  // version of what leaves.
  using Version = std::tuple<std::vector<std::int32_t>, std::size_t, std::int64_t>;

  const PassFacts& facts_;
  DecidedJobs& decided_;
  PassRooms& rooms_;
  QuotaRound& quotas_;
  const PassBackfill& backfill_;
  const PassLimits& limits_;
  // Highest tier of this pass's victims so far. find() assumes that all preemptable jobs up to this
  // tier are gone, since a later job may use what victims free beyond their preemptors' needs.
  std::int64_t tier_max_ = std::numeric_limits<std::int64_t>::min();
  std::vector<const Running*> above_share_;
  std::optional<Version> above_share_version_;
};

}  // namespace cox::schedule
