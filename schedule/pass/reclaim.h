// Who gives way because accounts have quotas (quota.h), for one job that asks.
//
// Two accounts are compared where their ways to the root meet: below that, the one of the asker has
// to have room for it in its fair share, and the one of the victim to have more than its own; level
// by level, each of them. The asker has to have room in everything it asks for that there are
// quotas of, the victim more than its share of one of those. So nobody gives way to who would have
// more than its share, nobody inside its share gives way, and what was reclaimed is not reclaimed
// back. Of tiers above its own the asker reclaims only what its account is guaranteed, and for that
// it waits for no exempt time. By whatever other rule anybody gives way, no account but the asker's
// own is left with less than its guarantee; for a guarantee a gang gives way that is partly in its
// own and partly in others', and where that does not help, whoever has more than its guarantee.
//
// After KAI's reclaim (docs/fairness: MaintainFairShare), with Kueue's common ancestor.
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
  // How accounts stand in a pass. `fair`: their shares, by position. `leaving`: by limit, what is
  // held by jobs that are stopping. All must outlive it.
  struct QuotaState {
    const Quotas& quotas;
    const LimitUse& use;
    const std::vector<std::int64_t>& fair;
    const std::vector<std::int64_t>& leaving;

    // Whether an account that it counts against has more than its share: else it yields to nobody
    // by share, nor for a guarantee that does not reach into shares.
    bool is_above_share(JobId running) const;
  };
  Reclaim(const QuotaState& standings, const PendingJob& job, const ResolvedRequest& need);

  enum class Right : std::uint8_t { None, ByShare, ByGuarantee };
  // The most it may have over anybody.
  Right most() const;
  // Over this one, once those that were noted as taken have given way.
  Right over(JobId victim) const;
  // Where nobody above its share can make room for what is guaranteed: who has more than its own
  // guarantee gives way too.
  void reach_into_shares() { reaches_into_shares_ = true; }
  bool reaches_into_shares() const { return reaches_into_shares_; }
  // Nothing stands between them: it is of the same account, or of one above or below.
  bool is_of_its_account(JobId victim) const;
  // It would leave another account with less than its guarantee.
  bool is_guarded(JobId victim) const;
  // REQUIRES: it is guarded. So it stands on room that is its account's own and on more.
  bool has_more_than_guaranteed(JobId victim) const;
  void note_taken(JobId victim);

  // Whether its account, and each above, would have no more than its guarantee with it, of whatever
  // there are quotas of.
  bool is_within_guarantee() const;
  // Of its account; -1: it counts against no quota.
  std::int32_t account() const { return asked_.empty() ? -1 : asked_.back().position; }
  // Of its account and those above, but for the root, whose shares have no room for it; -1: of
  // none.
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
  Counts asked_;  // with what is above its account; by position, so that who is above comes first
  std::vector<std::int64_t> taken_;  // by position
  bool reaches_into_shares_ = false;
};

// Those that give way to a job, of whom some do so by share or by guarantee alone.
struct YieldingBy {
  std::vector<VictimCandidate> all;
  std::set<JobId> reclaimed;
};

// Whether all of these may, one after the other.
bool may_all_yield(Reclaim reclaim, const YieldingBy& yielding, const std::vector<JobId>& victims);
// So many of them that whichever of those give way, they may: the cheapest first, or the largest.
enum class Prefer : std::uint8_t { Cheap, Large };
std::vector<VictimCandidate> together(Reclaim reclaim, const YieldingBy& yielding, Prefer prefer);

}  // namespace cox::schedule
