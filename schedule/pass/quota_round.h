// The effect of account quotas on the order of a pass. A job that would bring its account above its
// fair share is put off to a second round, behind all other jobs. Fair shares are computed once,
// when the pass begins. What stopping jobs hold counts for no account.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_set>
#include <utility>
#include <vector>

#include "schedule/pass/decided_jobs.h"
#include "schedule/pass/pass_cursor.h"
#include "schedule/pass/pass_facts.h"
#include "schedule/pass/reclaim.h"

namespace cox::schedule {

class QuotaRound {
 public:
  QuotaRound(const PassFacts& facts, const DecidedJobs& decided)
      : facts_(facts), decided_(decided) {}

  // Computes the fair shares. Called when the valid claims have been counted against limits.
  void begin();
  // Counts again what stopping jobs hold, since running jobs have changed between two parts of the
  // pass.
  void begin_part();

  enum class Turn : std::uint8_t {
    Now,
    PutOff,        // the jobs of its class are put off to the second round, from now on
    InOtherRound,  // the jobs of its class have their turn only in the other round
  };
  Turn turn_of(const PendingQueue::At& at);
  // Begins the second round. Returns false if it has begun already or no job was put off.
  bool begin_second_round();

  // Records that the running job will stop (`times` is 1), or that what it holds counts after all,
  // because it keeps its room or gets another place (-1).
  void note_leaving(JobId id, std::int64_t times = 1);
  // Increases whenever stopping jobs may have changed what accounts hold.
  std::int64_t leaving_version() const { return leaving_version_; }

  // Returns what the job's account may now reclaim from others.
  Reclaim reclaim(const PendingJob& job, const ResolvedRequest& need) const {
    return Reclaim(state(), job, need);
  }
  Reclaim::QuotaState state() const {
    return {quotas(), facts_.limit_use(), fair_shares_, leaving_};
  }
  const Quotas& quotas() const { return facts_.engine().quotas(); }
  std::int64_t fair_share(std::int32_t position) const {
    return fair_shares_[static_cast<std::size_t>(position)];
  }
  // Returns whether an account with a queued job has less than its guarantee.
  bool has_unmet_guarantee() const {
    return quotas().has_unmet_guarantee(facts_.limit_use(), leaving_);
  }
  // Returns, ascending, the positions of the accounts that hold more than their fair share.
  const std::vector<std::int32_t>& above_share() const { return headroom().above_share; }
  // Returns whether some account has room in its fair share for a job with this need, for some
  // resource that has quotas.
  bool may_fit_a_share(const ResolvedRequest& need) const;
  // Returns the position of the job's account; -1 if no quota applies.
  std::int32_t account_of(const PendingJob& job) const;

 private:
  enum class Round : std::uint8_t { First, Second };
  // Computed from what accounts hold and their fair shares, whenever these have changed.
  struct Headroom {
    std::vector<std::int32_t> above_share;
    std::vector<TresCount> most;  // for each resource: the most that any account has left
  };
  const Headroom& headroom() const;
  void count_leaving();

  const PassFacts& facts_;
  const DecidedJobs& decided_;
  Round round_ = Round::First;
  std::unordered_set<std::int64_t> put_off_;  // numbers of queues
  // fair share of each account, by the position of its quota
  std::vector<std::int64_t> fair_shares_;
  std::vector<std::int64_t> leaving_;  // what stopping and suspended jobs hold, by limit number
  std::int64_t leaving_version_ = 0;
  mutable Headroom headroom_;
  // the versions of the held and the leaving amounts for which it was computed
  mutable std::optional<std::pair<std::int64_t, std::int64_t>> headroom_version_;
};

}  // namespace cox::schedule
