#include "schedule/reclaim.h"

#include <algorithm>

namespace cox::schedule {

Reclaim::Reclaim(const Quotas& quotas, const LimitUse& use,
                 const std::vector<std::int64_t>& leaving, const PendingJob& job, const Need& need)
    : quotas_(quotas), use_(use), leaving_(leaving) {
  LimitUse::Holding asks;
  for (const Limit& limit : *job.limits)
    if (const auto count = count_of(limit, *need.request, need.nodes, need.tasks); count > 0)
      asks.emplace_back(limit.id, count);
  asked_ = counts_of(asks);
}

Reclaim::Counts Reclaim::counts_of(const LimitUse::Holding& holding) const {
  Counts counts;
  for (const auto& [limit, count] : holding)
    if (const std::int32_t position = quotas_.of_limit(limit); position >= 0)
      counts.push_back({position, count});
  std::ranges::sort(counts, {}, &Count::position);
  return counts;
}

Reclaim::Counts Reclaim::counts_of(JobId running) const {
  const auto holding = use_.holdings().find(running);
  return holding == use_.holdings().end() ? Counts{} : counts_of(holding->second);
}

std::int64_t Reclaim::held(std::int32_t position) const {
  const auto at = static_cast<std::size_t>(position);
  return quotas_.held_of(position, use_, leaving_) - (at < taken_.size() ? taken_[at] : 0);
}

// More than its share, each of them.
bool Reclaim::is_above(const Counts& counts) const {
  return std::ranges::all_of(counts, [this](const Count& one) {
    return held(one.position) > quotas_.fair_share(one.position);
  });
}

// In one tree, below where both meet; the highest first.
Reclaim::Right Reclaim::right_in(const Counts& ours, const Counts& theirs) const {
  for (const Count& one : ours)
    if (held(one.position) + one.count > quotas_.fair_share(one.position)) return Right::None;
  if (!is_above(theirs)) return Right::None;
  for (const Count& one : ours) {
    if (held(one.position) + one.count > quotas_.at(one.position).guarantee) return Right::ByShare;
    if (!quotas_.has_guarantees_below(one.position)) break;
  }
  return Right::ByGuarantee;
}

Reclaim::Right Reclaim::over(JobId victim) const {
  const Counts held_there = counts_of(victim);
  const auto is_in = [](const Counts& counts, std::int32_t position) {
    return std::ranges::binary_search(counts, position, {}, &Count::position);
  };
  Right right = Right::None;
  for (const Count& root : asked_) {
    if (quotas_.at(root.position).parent >= 0) continue;
    Counts ours;
    Counts theirs;
    const auto stands_in_it = [&](const Count& one) {
      return quotas_.root_of(one.position) == root.position;
    };
    for (const Count& one : asked_)
      if (stands_in_it(one) && !is_in(held_there, one.position)) ours.push_back(one);
    for (const Count& one : held_there)
      if (stands_in_it(one) && !is_in(asked_, one.position)) theirs.push_back(one);
    if (ours.empty() || theirs.empty()) continue;
    right = std::max(right, right_in(ours, theirs));
  }
  return right;
}

Reclaim::Right Reclaim::most() const {
  Right right = Right::None;
  for (const Count& one : asked_) {
    if (quotas_.at(one.position).parent < 0) continue;
    const std::int64_t with_it = held(one.position) + one.count;
    if (with_it <= quotas_.at(one.position).guarantee) return Right::ByGuarantee;
    if (with_it <= quotas_.fair_share(one.position)) right = Right::ByShare;
  }
  return right;
}

std::int32_t Reclaim::beyond_share() const {
  for (const Count& one : asked_)
    if (quotas_.at(one.position).parent >= 0 &&
        held(one.position) + one.count > quotas_.fair_share(one.position))
      return one.position;
  return -1;
}

bool Reclaim::is_guarded(JobId victim) const {
  return std::ranges::any_of(counts_of(victim), [this](const Count& one) {
    const Quota& quota = quotas_.at(one.position);
    if (quota.parent < 0 || quota.guarantee == 0) return false;
    if (std::ranges::binary_search(asked_, one.position, {}, &Count::position)) return false;
    return held(one.position) - one.count < quota.guarantee;
  });
}

void Reclaim::note_taken(JobId victim) {
  for (const Count& one : counts_of(victim)) {
    const auto at = static_cast<std::size_t>(one.position);
    if (at >= taken_.size()) taken_.resize(at + 1);
    taken_[at] += one.count;
  }
}

// In each thing of which anything is guaranteed on its way.
bool Reclaim::is_within_guarantee() const {
  bool within = false;
  std::int32_t broken_off = -1;  // the root of a tree of which it has the guarantee of all below
  for (const Count& one : asked_) {
    const Quota& quota = quotas_.at(one.position);
    if (quota.parent < 0 || quotas_.root_of(one.position) == broken_off) continue;
    if (held(one.position) + one.count > quota.guarantee) {
      if (quota.guarantee > 0) return false;
      broken_off = quotas_.root_of(one.position);
      continue;
    }
    within = true;
    if (!quotas_.has_guarantees_below(one.position)) broken_off = quotas_.root_of(one.position);
  }
  return within;
}

namespace {

// By the units that it holds.
double size_of(const Yielding& one) {
  return one.running->job.loss_per_second_units;
}

bool may_yield(const Reclaim& reclaim, const YieldingBy& yielding, const Yielding& one) {
  const JobId id = one.running->job.id;
  const bool by_tier = !yielding.reclaimed.contains(id);
  const Reclaim::Right right = by_tier ? Reclaim::Right::None : reclaim.over(id);
  if (right == Reclaim::Right::ByGuarantee) return true;
  return (by_tier || right == Reclaim::Right::ByShare) && !reclaim.is_guarded(id);
}

}  // namespace

bool may_all_yield(Reclaim reclaim, const YieldingBy& yielding, const std::vector<JobId>& victims) {
  std::vector<Yielding> chosen;
  for (const Yielding& one : yielding.all)
    if (std::ranges::find(victims, one.running->job.id) != victims.end()) chosen.push_back(one);
  std::ranges::stable_sort(chosen, {}, size_of);
  for (const Yielding& one : chosen) {
    if (!may_yield(reclaim, yielding, one)) return false;
    reclaim.note_taken(one.running->job.id);
  }
  return true;
}

std::vector<Yielding> together(Reclaim reclaim, const YieldingBy& yielding, Prefer prefer) {
  std::vector<Yielding> ordered = yielding.all;
  std::ranges::stable_sort(ordered, {}, [prefer](const Yielding& one) {
    return prefer == Prefer::Large ? -size_of(one) : static_cast<double>(one.cost);
  });
  std::erase_if(ordered, [&](const Yielding& one) {
    const bool stays = !may_yield(reclaim, yielding, one);
    if (!stays) reclaim.note_taken(one.running->job.id);
    return stays;
  });
  return ordered;
}

}  // namespace cox::schedule
