// What the cluster's memory has of accounts and tiers, and what follows from them: limits, what is
// charged against them, and whose turn it is.
#include <algorithm>
#include <cmath>
#include <iterator>

#include "common/base/check.h"
#include "controller/state/cluster.h"
#include "controller/state/fair_share.h"
#include "controller/state/usage.h"

namespace cox {
std::vector<JobId> Cluster::step_aside(const std::set<std::string>& accounts) {
  std::set<std::string> all;
  for (const auto& [id, one] : accounts_.all())
    if (one.is_account() && std::ranges::any_of(accounts_.chain(one), [&](const Association* up) {
          return accounts.contains(up->account);
        }))
      all.insert(one.account);
  std::vector<JobId> left;
  for (const JobId id : unfinished_) {
    JobEntry& e = entry(id);
    if (!all.contains(e.job.spec->account)) continue;
    if (!e.in_line) continue;
    leave_line(e, Leaves::ToComeBack);
    left.push_back(id);
  }
  return left;
}

void Cluster::step_back(const std::vector<JobId>& jobs) {
  forget_limits();
  requests_of_specs_.forget_all();
  count_submitted();
  for (const JobId id : jobs) enter_line(entry(id));
  running_stale_.insert(live_.begin(), live_.end());
  settle_gpu_types();
  ++changes_applied_;
}

void Cluster::count_submitted() {
  limits_in_use_.forget_submitted();
  for (const JobId id : unfinished_)
    limits_in_use_.count_submitted(qos_binding(*entry(id).job.spec), *entry(id).job.spec, accounts_,
                                   entry(id).counted);
}

// REQUIRES: but for what was used: between step_aside() and step_back().
void Cluster::apply_one(const AssociationPut& change, Now) {
  fair_shares_stale_ = true;
  charges_stale_ = true;
  const Association* known = accounts_.at(change.association.id);
  quotas_stale_ = quotas_stale_ || known == nullptr || known->parent != change.association.parent ||
                  known->shares != change.association.shares ||
                  known->limits != change.association.limits;
  accounts_.put(change.association);
}

void Cluster::apply_one(const AssociationRemoved& change, Now) {
  accounts_.remove(change.id);
  fair_shares_.erase(change.id);
  fair_shares_stale_ = true;
  charges_stale_ = true;
  quotas_stale_ = true;
}

void Cluster::apply_one(const QosPut& change, Now) {
  const bool comes = !qos_.contains(change.qos.name);
  set_qos({change.qos});
  if (comes) count_submitted();  // a partition may name it
}

void Cluster::apply_one(const QosRemoved& change, Now) {
  const auto remove = [&] {
    CHECK(qos_.erase(change.name) == 1);
    qos_usage_.erase(change.name);
    charges_stale_ = true;
    tiers_changed();
  };
  // What it kept, all others may have.
  qos_.at(change.name).limits.kept_tres.empty() ? remove() : change_requests(remove);
  settle_gpu_types();
  count_submitted();
  ++changes_applied_;
}

void Cluster::apply_one(const QosUsed& change, Now) {
  charges_stale_ = true;
  qos_usage_[change.usage.qos] = change.usage;
}

void Cluster::apply_one(const RequestAnswered&, Now) {}

// Limits of time: what was used before, as it is worth now, by all below whom they limit.
void Cluster::tell_charges(Now now) const {
  const auto& timed = limits_in_use_.timed();
  const UsageSettings& settings = config_.usage;
  const bool due =
      charges_stale_ || charges_told_ != timed.size() || now.boot - charges_at_ >= settings.period;
  if (timed.empty() || !due) return;
  charges_stale_ = false;
  charges_told_ = timed.size();
  charges_at_ = now.boot;
  std::map<AssociationId, std::map<std::string, double>> used;
  for (const auto& [id, one] : accounts_.all()) {
    if (one.usage.empty()) continue;
    for (const Association* above : accounts_.chain(one))
      for (const TresUsage& use : one.usage)
        used[above->id][use.tres] += used_by(one, use.tres, now.wall, settings.half_life);
  }
  const auto used_of_qos = [&](const std::string& qos, const std::string& tres) {
    const auto known = qos_usage_.find(qos);
    if (known == qos_usage_.end()) return 0.0;
    return used_by(known->second.usage, known->second.at, tres, now.wall, settings.half_life);
  };
  for (const LimitRegistry::Timed& limit : timed) {
    const bool wall = limit.what.what == Tres::Jobs;
    const std::string tres = wall ? std::string(wall_tres) : tres_name(limit.what);
    const double thousandths = limit.what.what == Tres::GpuMilli ? 1000 : 1;
    const double seconds =
        limit.qos.empty() ? used[limit.association][tres] : used_of_qos(limit.qos, tres);
    scheduler_->engine().charge_limit(limit.limit, std::llround(seconds * thousandths));
  }
}

double Cluster::fair_share_of(AssociationId id) const {
  const auto at = fair_shares_.find(id);
  return at == fair_shares_.end() ? 0.0 : at->second;
}

bool Cluster::counts_fair_share() const {
  const SchedulingSettings& settings = config_.scheduling;
  return accounts_.are_used() && settings.priority.fair_share > 0 &&
         settings.order == OrderPolicy::Multifactor;
}

// Of a line of 100,000 each job may have to be put elsewhere: so seldom that it is a small part of
// all there is to do.
void Cluster::settle_fair_shares(Now now) {
  constexpr std::int64_t moved_per_ms = 50;
  if (!counts_fair_share() || now.boot < fair_shares_due_) return;
  const bool period_over = now.boot - fair_shares_settled_ >= config_.usage.period;
  if (!fair_shares_stale_ && !period_over) return;
  fair_shares_stale_ = false;
  fair_shares_settled_ = now.boot;
  std::map<AssociationId, double> shares;
  for (const auto& [id, share] : fair_shares(*this, now)) shares[id] = share.factor;
  std::vector<JobId> moved;
  for (const JobId id : unfinished_) {
    const JobEntry& e = entry(id);
    if (!e.in_line || e.association == AssociationId{}) continue;
    const auto share = shares.find(e.association);
    if (share == shares.end() || share->second != fair_share_of(e.association)) moved.push_back(id);
  }
  for (const JobId id : moved) leave_line(entry(id), Leaves::ToComeBack);
  fair_shares_ = std::move(shares);
  for (const JobId id : moved) enter_line(entry(id));
  const std::int64_t work = std::ssize(moved) + std::ssize(live_) + std::ssize(accounts_.all());
  fair_shares_due_ = now.boot + Milliseconds{work / moved_per_ms};
}

}  // namespace cox
