#include "schedule/pass/reclaim.h"

#include <algorithm>

namespace cox::schedule {

bool Reclaim::QuotaState::is_above_share(JobId running) const {
  const auto holding = use.holdings().find(running);
  if (holding == use.holdings().end()) return false;
  return std::ranges::any_of(holding->second, [this](const auto& held) {
    const std::int32_t position = quotas.position_of_limit(held.first);
    return position >= 0 && quotas.at(position).parent >= 0 &&
           quotas.held_of(position, use, leaving) > fair[static_cast<std::size_t>(position)];
  });
}

Reclaim::Reclaim(const QuotaState& state, const PendingJob& job, const ResolvedRequest& need)
    : quotas_(state.quotas), use_(state.use), fair_(state.fair), leaving_(state.leaving) {
  LimitUse::Holding asks;
  for (const Limit& limit : *job.limits)
    if (const auto count = count_of(limit, *need.request, need.nodes, need.tasks); count > 0)
      asks.emplace_back(limit.id, count);
  requested_ = counts_of(asks);
}

Reclaim::Counts Reclaim::counts_of(const LimitUse::Holding& holding) const {
  Counts counts;
  for (const auto& [limit, count] : holding)
    if (const std::int32_t position = quotas_.position_of_limit(limit); position >= 0)
      counts.push_back({position, count});
  std::ranges::sort(counts, {}, &Count::position);
  return counts;
}

Reclaim::Counts Reclaim::counts_of(JobId running) const {
  const auto holding = use_.holdings().find(running);
  return holding == use_.holdings().end() ? Counts{} : counts_of(holding->second);
}

std::int64_t Reclaim::fair_share(std::int32_t position) const {
  return fair_[static_cast<std::size_t>(position)];
}

std::int64_t Reclaim::held(std::int32_t position) const {
  const auto at = static_cast<std::size_t>(position);
  return quotas_.held_of(position, use_, leaving_) - (at < taken_.size() ? taken_[at] : 0);
}

// Returns whether each account in `counts` holds more than its fair share; after
// reach_into_shares(), more than its guarantee.
bool Reclaim::is_above(const Counts& counts) const {
  return std::ranges::all_of(counts, [this](const Count& one) {
    return held(one.position) >
           (reaches_into_shares_ ? quotas_.at(one.position).guarantee : fair_share(one.position));
  });
}

// Returns the counts of one tree, from the root down, without the accounts that are also in
// `without`.
Reclaim::Counts Reclaim::in_tree(const Counts& counts, std::int32_t root,
                                 const Counts& without) const {
  Counts found;
  for (const Count& one : counts)
    if (quotas_.root_of(one.position) == root &&
        !std::ranges::binary_search(without, one.position, {}, &Count::position))
      found.push_back(one);
  return found;
}

// Returns the preemptor's right to preempt as far as its own accounts give it. `ours`: what it asks
// of its accounts in one tree, below the common ancestor with the victim.
Reclaim::Right Reclaim::right_of(const Counts& ours) const {
  for (const Count& one : ours)
    if (held(one.position) + one.count > fair_share(one.position)) return Right::None;
  for (const Count& one : ours) {
    if (held(one.position) + one.count > quotas_.at(one.position).guarantee) return Right::ByShare;
    if (!quotas_.has_guarantees_below(one.position)) break;
  }
  return Right::ByGuarantee;
}

Reclaim::Right Reclaim::over(JobId victim) const {
  const Counts held_there = counts_of(victim);
  Right right = Right::ByGuarantee;
  bool is_above_somewhere = false;
  for (const Count& root : requested_) {
    if (quotas_.at(root.position).parent >= 0) continue;
    const Counts ours = in_tree(requested_, root.position, held_there);
    const Counts theirs = in_tree(held_there, root.position, requested_);
    // the victim is of the preemptor's account, or of one below
    if (ours.empty()) return Right::None;
    right = std::min(right, right_of(ours));
    is_above_somewhere = is_above_somewhere || (!theirs.empty() && is_above(theirs));
  }
  if (reaches_into_shares_ && right != Right::ByGuarantee) return Right::None;
  return is_above_somewhere ? right : Right::None;
}

// Does not depend on a victim: assumes in each tree the account of the preemptor that gives the
// strongest right.
Reclaim::Right Reclaim::most() const {
  Right least = requested_.empty() ? Right::None : Right::ByGuarantee;
  for (const Count& root : requested_) {
    if (quotas_.at(root.position).parent >= 0) continue;
    Right best = Right::None;
    for (const Count& one : in_tree(requested_, root.position, {root})) {
      const std::int64_t with_it = held(one.position) + one.count;
      if (with_it <= quotas_.at(one.position).guarantee) best = Right::ByGuarantee;
      if (with_it <= fair_share(one.position)) best = std::max(best, Right::ByShare);
    }
    least = std::min(least, best);
  }
  return least;
}

std::int32_t Reclaim::beyond_share() const {
  for (const Count& one : requested_)
    if (quotas_.at(one.position).parent >= 0 &&
        held(one.position) + one.count > fair_share(one.position))
      return one.position;
  return -1;
}

bool Reclaim::is_of_its_account(JobId victim) const {
  const Counts held_there = counts_of(victim);
  return std::ranges::none_of(requested_, [&](const Count& root) {
    return quotas_.at(root.position).parent < 0 &&
           !in_tree(requested_, root.position, held_there).empty() &&
           !in_tree(held_there, root.position, requested_).empty();
  });
}

bool Reclaim::is_guarded(const Count& of_victim) const {
  const Quota& quota = quotas_.at(of_victim.position);
  if (quota.parent < 0 || quota.guarantee == 0) return false;
  if (std::ranges::binary_search(requested_, of_victim.position, {}, &Count::position))
    return false;
  return held(of_victim.position) - of_victim.count < quota.guarantee;
}

bool Reclaim::is_guarded(JobId victim) const {
  return std::ranges::any_of(counts_of(victim),
                             [this](const Count& one) { return is_guarded(one); });
}

bool Reclaim::has_more_than_guaranteed(JobId victim) const {
  return std::ranges::all_of(counts_of(victim), [this](const Count& one) {
    return !is_guarded(one) || held(one.position) > quotas_.at(one.position).guarantee;
  });
}

void Reclaim::note_taken(JobId victim) {
  for (const Count& one : counts_of(victim)) {
    const auto at = static_cast<std::size_t>(one.position);
    if (at >= taken_.size()) taken_.resize(at + 1);
    taken_[at] += one.count;
  }
}

bool Reclaim::is_within_guarantee() const {
  bool within = false;
  for (const Count& root : requested_) {
    if (quotas_.at(root.position).parent >= 0) continue;
    for (const Count& one : in_tree(requested_, root.position, {root})) {
      within = held(one.position) + one.count <= quotas_.at(one.position).guarantee;
      if (!within) return false;
      if (!quotas_.has_guarantees_below(one.position)) break;
    }
  }
  return within;
}

namespace {

// Returns the size of the job: its GPUs; without GPUs, its CPUs.
double size_of(const VictimCandidate& one) {
  return one.running->job.loss_per_second_units;
}

bool may_yield(const Reclaim& reclaim, const PreemptableJobs& yielding,
               const VictimCandidate& one) {
  const JobId id = one.running->job.id;
  const bool by_tier = !yielding.reclaimed.contains(id);
  const Reclaim::Right right = by_tier ? Reclaim::Right::None : reclaim.over(id);
  if (right == Reclaim::Right::ByGuarantee) return true;
  return (by_tier || right == Reclaim::Right::ByShare) && !reclaim.is_guarded(id);
}

}  // namespace

bool may_all_be_preempted(Reclaim reclaim, const PreemptableJobs& yielding,
                          const Victims& victims) {
  std::vector<VictimCandidate> chosen;
  for (const Running* victim : victims) chosen.push_back({victim, 0});
  std::ranges::stable_sort(chosen, {}, size_of);
  for (const VictimCandidate& one : chosen) {
    if (!may_yield(reclaim, yielding, one)) return false;
    reclaim.note_taken(one.running->job.id);
  }
  return true;
}

std::vector<VictimCandidate> together(Reclaim reclaim, const PreemptableJobs& yielding,
                                      Prefer prefer) {
  std::vector<VictimCandidate> ordered = yielding.all;
  std::ranges::stable_sort(ordered, {}, [prefer](const VictimCandidate& one) {
    return prefer == Prefer::Large ? -size_of(one) : static_cast<double>(one.cost);
  });
  std::erase_if(ordered, [&](const VictimCandidate& one) {
    const bool stays = !may_yield(reclaim, yielding, one);
    if (!stays) reclaim.note_taken(one.running->job.id);
    return stays;
  });
  return ordered;
}

}  // namespace cox::schedule
