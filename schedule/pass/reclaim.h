// Which running jobs may be preempted for a queued job because of account quotas (quota.h).
//
// The accounts of the preemptor and of a victim are compared in each level of the tree below their
// common ancestor. On the preemptor's side, each account must have room for the job in its fair
// share, for every resource that has quotas. On the victim's side, each account must have more than
// its fair share of at least one of them. So no job is preempted for an account that would exceed
// its share, no account inside its share loses jobs, and reclaimed room is never reclaimed back.
//
// From jobs of higher tiers the preemptor reclaims only what its account is guaranteed; then the
// exempt times of victims do not count. Whatever the reason of a preemption, no other account is
// left with less than its guarantee. There is one exception: to fill a guarantee, a gang may be
// preempted whose room is partly inside its own account's guarantee and partly outside. If this
// does not help either, jobs of accounts with more than their guarantee may be preempted.
//
// The rules are those of KAI's reclaim (docs/fairness: MaintainFairShare), with Kueue's common
// ancestor.
#pragma once

#include <cstdint>
#include <set>
#include <vector>

#include "schedule/model/resolved_request.h"
#include "schedule/pass/preempt.h"
#include "schedule/queue/quota.h"

namespace cox::schedule {

class Reclaim {
 public:
  // The state of the quotas in a pass. `fair`: fair shares by position. `leaving`: by limit, what
  // stopping jobs hold. REQUIRES: all of these outlive the Reclaim.
  struct QuotaState {
    const Quotas& quotas;
    const LimitUse& use;
    const std::vector<std::int64_t>& fair;
    const std::vector<std::int64_t>& leaving;

    // Returns whether any account of the job has more than its share. Otherwise the job cannot be
    // preempted by share, nor by guarantee before reach_into_shares().
    bool is_above_share(JobId running) const;
  };
  Reclaim(const QuotaState& state, const PendingJob& job, const ResolvedRequest& need);

  // Whether the preemptor may preempt a job: not at all, because its accounts stay within their
  // fair shares, or because they stay within their guarantees.
  enum class Right : std::uint8_t { None, ByShare, ByGuarantee };
  // Returns the strongest right that the preemptor has over any job.
  Right most() const;
  // Returns the preemptor's right over this job once all jobs passed to note_taken() have been
  // preempted.
  Right over(JobId victim) const;
  // From now on, over() also gives the right by guarantee over jobs of accounts that are above
  // their own guarantee but inside their share. For use if jobs above their share do not suffice.
  void reach_into_shares() { reaches_into_shares_ = true; }
  bool reaches_into_shares() const { return reaches_into_shares_; }
  // Returns whether the victim's account is that of the preemptor, or one above or below it.
  bool is_of_its_account(JobId victim) const;
  // Returns whether preempting the victim would leave another account with less than its guarantee.
  bool is_guarded(JobId victim) const;
  // Returns whether the victim's accounts hold more than their guarantee, so that the job is partly
  // outside the guarantee. REQUIRES: is_guarded(victim).
  bool has_more_than_guaranteed(JobId victim) const;
  // Counts the victim as preempted in all later answers.
  void note_taken(JobId victim);

  // Returns whether the preemptor's accounts stay within their guarantees if it starts, for every
  // resource that has quotas.
  bool is_within_guarantee() const;
  // Returns the position of the preemptor's account; -1 if no quota applies.
  std::int32_t account() const { return requested_.empty() ? -1 : requested_.back().position; }
  // Returns the position of the first account, from the one below the root down to the preemptor's
  // own, whose fair share has no room for the job; -1 if each has room.
  std::int32_t beyond_share() const;

 private:
  struct Count {
    std::int32_t position = 0;
    std::int64_t count = 0;
  };
  using Counts = std::vector<Count>;
  Counts counts_of(const LimitUse::Holding& holding) const;
  Counts counts_of(JobId running) const;
  Counts in_tree(const Counts& counts, std::int32_t root, const Counts& without) const;
  bool is_guarded(const Count& of_victim) const;
  std::int64_t held(std::int32_t position) const;
  std::int64_t fair_share(std::int32_t position) const;
  bool is_above(const Counts& counts) const;
  Right right_of(const Counts& ours) const;

  const Quotas& quotas_;
  const LimitUse& use_;
  const std::vector<std::int64_t>& fair_;
  const std::vector<std::int64_t>& leaving_;
  // What the preemptor asks of its account and each account above, by position: parents come first.
  Counts requested_;
  std::vector<std::int64_t> taken_;  // by position
  bool reaches_into_shares_ = false;
};

// The running jobs that may be preempted for a queued job. `reclaimed`: those that only a quota
// lets it preempt.
struct PreemptableJobs {
  std::vector<VictimCandidate> all;
  std::set<JobId> reclaimed;
};

// Returns whether all of these may be preempted, one after the other.
bool may_all_be_preempted(Reclaim reclaim, const PreemptableJobs& yielding, const Victims& victims);
// Which candidates together() takes first: the cheapest, or the largest.
enum class Prefer : std::uint8_t { Cheap, Large };
// Returns candidates of which every subset may be preempted.
std::vector<VictimCandidate> together(Reclaim reclaim, const PreemptableJobs& yielding,
                                      Prefer prefer);

}  // namespace cox::schedule
