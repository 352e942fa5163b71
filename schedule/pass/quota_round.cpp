#include "schedule/pass/quota_round.h"

#include <algorithm>

#include "schedule/model/request_chain.h"

namespace cox::schedule {
void QuotaRound::begin() {
  count_leaving();
  fair_shares_ = quotas().fair_shares(facts_.limit_use(), leaving_);
}

void QuotaRound::begin_part() {
  count_leaving();
  ++leaving_version_;
}

// Counts in leaving_ what stopping and suspended jobs hold against quotas. A job that stops to
// continue elsewhere is left out: it has a claim, and keeps what it counts.
void QuotaRound::count_leaving() {
  leaving_.clear();
  if (quotas().is_empty()) return;
  const Engine& engine = facts_.engine();
  if (engine.counts().stopping() + engine.counts().suspended() == 0 && decided_.victim_count() == 0)
    return;
  for (const auto& [id, running] : facts_.running())
    if (running.job.suspended || (decided_.is_stopping(running) && !engine.claims().contains(id)))
      note_leaving(id);
}

void QuotaRound::note_leaving(JobId id, std::int64_t times) {
  ++leaving_version_;
  const auto& holdings = facts_.limit_use().holdings();
  const auto held = holdings.find(id);
  if (held == holdings.end()) return;
  for (const auto& [limit, count] : held->second) {
    const auto at = static_cast<std::size_t>(limit);
    if (at >= leaving_.size()) leaving_.resize(at + 1);
    leaving_[at] += times * count;
  }
}

QuotaRound::Turn QuotaRound::turn_of(const PendingQueue::At& at) {
  if (quotas().is_empty()) return Turn::Now;
  const bool was_put_off = put_off_.contains(at.queue->number);
  if (round_ == Round::Second) return was_put_off ? Turn::Now : Turn::InOtherRound;
  if (was_put_off) return Turn::InOtherRound;
  const PendingJob job = job_of(at);
  for (const Request& one : RequestChain(*job.request))
    if (reclaim(job, facts_.need_now(one, job.time_limit)).beyond_share() < 0) return Turn::Now;
  put_off_.insert(at.queue->number);
  return Turn::PutOff;
}

bool QuotaRound::begin_second_round() {
  if (round_ == Round::Second || put_off_.empty()) return false;
  round_ = Round::Second;
  return true;
}

const QuotaRound::Headroom& QuotaRound::headroom() const {
  const std::pair version{facts_.limit_use().version(), leaving_version_};
  if (headroom_version_ == version) return headroom_;
  headroom_version_ = version;
  headroom_ = {};
  for (std::int32_t position = 0; position < quotas().size(); ++position) {
    const Quota& quota = quotas().at(position);
    if (quota.parent < 0) {
      headroom_.most.push_back(quota.what);
      headroom_.most.back().count = 0;
      continue;
    }
    const std::int64_t left =
        fair_share(position) - quotas().held_of(position, facts_.limit_use(), leaving_);
    if (left < 0) headroom_.above_share.push_back(position);
    headroom_.most.back().count = std::max(headroom_.most.back().count, left);
  }
  return headroom_;
}

bool QuotaRound::may_fit_a_share(const ResolvedRequest& need) const {
  return std::ranges::any_of(headroom().most, [&](const TresCount& most) {
    const std::int64_t count = count_of({0, most}, *need.request, need.nodes, need.tasks);
    return count > 0 && count <= most.count;
  });
}

std::int32_t QuotaRound::account_of(const PendingJob& job) const {
  for (const Request& one : RequestChain(*job.request)) {
    const ResolvedRequest& need = facts_.need_now(one, job.time_limit);
    if (const auto account = reclaim(job, need).account(); account >= 0) return account;
  }
  return -1;
}

}  // namespace cox::schedule
