#include "simulate/run/fair_shares.h"

#include <algorithm>

#include "common/cluster/config.h"
#include "schedule/model/usage.h"
#include "schedule/queue/fair_tree.h"

namespace cox::simulate {
namespace {

constexpr Milliseconds settled_least{60'000};

double amount_of(const TraceJob& job, Tres what) {
  const auto nodes = static_cast<double>(std::max<std::int64_t>(job.nodes, 1));
  switch (what) {
    case Tres::Cpus:
      return static_cast<double>(job.tasks) * static_cast<double>(job.cpu_milli_per_task) / 1'000;
    case Tres::GpuMilli: return nodes * static_cast<double>(job.gpus * job.gpu_milli) / 1'000;
    default: return 0;
  }
}

}  // namespace

double billing_of(const TraceJob& job) {
  double billing = 0;
  for (const BillingWeight& weight : UsageSettings{}.weights)
    billing += amount_of(job, weight.of.what) * static_cast<double>(weight.milli) / 1'000;
  return billing;
}

FairShares::FairShares(const Accounts& accounts, const std::vector<OwnerAt>& owners,
                       const std::vector<TraceJob>& jobs, Milliseconds half_life)
    : accounts_(accounts),
      owners_(owners),
      jobs_(jobs),
      half_life_(half_life),
      used_(accounts.all().size()) {}

void FairShares::started(JobAt job, Milliseconds now) {
  running_.emplace(job, now);
  stale_ = true;
}

void FairShares::left(JobAt job, Milliseconds now) {
  const auto at = static_cast<std::size_t>(job);
  Used& used = used_[static_cast<std::size_t>(owners_[at])];
  used.seconds *= schedule::decay(now - used.at, half_life_);
  used.seconds +=
      billing_of(jobs_[at]) * schedule::decayed_seconds(now - running_.at(job), half_life_);
  used.at = now;
  running_.erase(job);
  stale_ = true;
}

std::vector<double> FairShares::usage(Milliseconds now) const {
  std::vector<double> usage;
  for (const Used& used : used_)
    usage.push_back(used.seconds * schedule::decay(now - used.at, half_life_));
  for (const auto& [job, since] : running_) {
    const auto at = static_cast<std::size_t>(job);
    usage[static_cast<std::size_t>(owners_[at])] +=
        billing_of(jobs_[at]) *
        schedule::counted_seconds(now - since, UsageSettings{}.period, half_life_);
  }
  return usage;
}

std::optional<std::vector<double>> FairShares::settle(Milliseconds now) {
  const Milliseconds least = stale_ ? settled_least : UsageSettings{}.period;
  if (settled_ && now - *settled_ < least) return std::nullopt;
  settled_ = now;
  stale_ = false;
  std::vector<schedule::FairNode> nodes;
  const std::vector<double> used = usage(now);
  for (std::size_t i = 0; i < used.size(); ++i) {
    const Owner& owner = accounts_.all()[i];
    nodes.push_back({owner.parent, owner.shares, owner.of_parent, used[i], owner.is_user});
  }
  for (std::size_t i = nodes.size(); i-- > 1;)
    nodes[static_cast<std::size_t>(nodes[i].parent)].usage += nodes[i].usage;
  return schedule::fair_tree(nodes);
}

}  // namespace cox::simulate
