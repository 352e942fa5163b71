// The limits that implement quotas of accounts and kept_tres (what a QOS keeps from lower tiers):
// jobs count against them in the engine.
#include <algorithm>
#include <functional>

#include "common/base/check.h"
#include "common/base/limits.h"
#include "controller/limits/qos_limits.h"
#include "schedule/queue/quota.h"

namespace cox {
namespace {

const TresCount* find(const TresList& list, const TresCount& tres) {
  const auto found = std::ranges::find_if(
      list, [&](const TresCount& one) { return tres_name(one) == tres_name(tres); });
  return found == list.end() ? nullptr : &*found;
}

std::int64_t count_in(const TresList& list, const TresCount& tres) {
  std::int64_t most = 0;
  for (const TresCount& one : list)
    if (tres_name(one) == tres_name(tres)) most = std::max(most, one.count);
  return most;
}

bool counts_types(const TresList& list) {
  return std::ranges::any_of(
      list, [](const TresCount& one) { return one.what == Tres::GpuMilli && !one.type.empty(); });
}

}  // namespace

std::vector<TresCount> quota_tres(const Accounts& accounts) {
  std::map<std::string, TresCount> tres_by_name;
  for (const auto& [id, one] : accounts.all())
    for (const TresList* list : {&one.limits.guarantee, &one.limits.deserved})
      for (TresCount tres : *list)
        if (one.is_account() && schedule::is_of_nodes(tres)) {
          tres.count = 0;
          tres.hours.clear();
          tres_by_name.emplace(tres_name(tres), std::move(tres));
        }
  std::vector<TresCount> all;
  for (auto& [name, tres] : tres_by_name) all.push_back(std::move(tres));
  return all;
}

const std::vector<TresCount>& LimitRegistry::tres_with_quotas(const Accounts& accounts) {
  if (!quota_tres_) quota_tres_ = quota_tres(accounts);
  return *quota_tres_;
}

PreemptionYield preempted_jobs(const Partitions& partitions, const Qos& qos) {
  const auto of_mode = [](PreemptMode mode) {
    if (mode == PreemptMode::Off) return PreemptionYield::Never;
    return mode == PreemptMode::Suspend ? PreemptionYield::CpusAlone : PreemptionYield::Wholly;
  };
  if (partitions.empty()) return of_mode(qos.preempt_mode);
  PreemptionYield least = PreemptionYield::Wholly;
  for (const PartitionConfig* partition : partitions)
    least = std::min(least, of_mode(partition->preempt_mode.value_or(qos.preempt_mode)));
  return least;
}

namespace {

TresList in_force(const TresList& list, const std::set<std::string>* open) {
  return open == nullptr ? list : cox::in_force(list, *open);
}

// Returns how much of the resource the account may claim: the largest of its guarantee, its
// deserved amount, and the sum of what the accounts directly below it are owed.
std::int64_t owed(const Accounts& accounts, const Association& account, const TresCount& tres,
                  const std::set<std::string>* open) {
  std::int64_t below = 0;
  for (const Association* part : accounts.children(account.account))
    if (part->is_account())
      below = std::min(below + owed(accounts, *part, tres, open), schedule::limit_none);
  return std::max({below, count_in(in_force(account.limits.guarantee, open), tres),
                   count_in(in_force(account.limits.deserved, open), tres)});
}

// Returns the account's shares. If it has fairshare=parent, the accounts and users in it count as
// if they were on its level, so the result is the sum of their shares.
std::int64_t shares_on_its_level(const Accounts& accounts, const Association& account) {
  if (!account.shares_of_parent) return account.shares;
  std::int64_t sum = 0;
  for (const Association* part : accounts.children(account.account))
    if (part->is_account() || !part->shares_of_parent)
      sum = std::min(sum + shares_on_its_level(accounts, *part), limits::fair_shares_max);
  return sum;
}

}  // namespace

std::vector<FirmLimit> firm_limits(const Accounts& accounts, const Association& own,
                                   const TresCount& tres, const std::set<std::string>* open) {
  std::vector<FirmLimit> limits;
  for (const Association* one : accounts.chain(own)) {
    if (!one->is_account() || (one->is_root() && !limits.empty())) continue;
    const bool is_last = one->is_root() || one->parent == root_account;
    const std::int64_t most = one->is_root() ? 0 : owed(accounts, *one, tres, open);
    const bool has_quota = find(in_force(one->limits.guarantee, open), tres) != nullptr ||
                           find(in_force(one->limits.deserved, open), tres) != nullptr;
    if (most > 0 || has_quota || (is_last && limits.empty())) limits.push_back({one, most});
  }
  return limits;
}

// Adds a limit without a maximum for each account of the chain that has no GrpTRES of a resource
// with quotas, because quotas need the count. If preemption of the job would not free the resource,
// adds its firm limits, too.
void LimitRegistry::add_quotas(schedule::Limits& list, const Association& own,
                               PreemptionYield preempted_jobs, const Accounts& accounts) {
  for (const TresCount& tres : tres_with_quotas(accounts)) {
    for (const Association* one : accounts.chain(own)) {
      if (!one->is_account()) continue;
      const std::int32_t id = id_of({Of::Association, text_of(*one), "", false}, tres);
      if (std::ranges::find(list, id, &schedule::Limit::id) != list.end()) continue;
      list.push_back({id, tres, 0});
      list.back().most.count = schedule::limit_none;
    }
    if (frees(preempted_jobs, tres)) continue;
    for (const FirmLimit& firm : firm_limits(accounts, own, tres, &open_hours_)) {
      TresCount most = tres;
      most.count = firm.most;
      add(list, {Of::AssociationFirm, text_of(*firm.account), "", false}, std::move(most));
    }
  }
}

// Adds each account directly before the accounts below it, as Quotas::set requires.
std::vector<schedule::Quota> LimitRegistry::quotas(const Accounts& accounts) {
  std::vector<schedule::Quota> all;
  const std::function<void(const Association&, const TresCount&, std::int32_t)> add_tree =
      [&](const Association& account, const TresCount& tres, std::int32_t parent) {
        schedule::Quota quota;
        quota.limit = id_of({Of::Association, text_of(account), "", false}, tres);
        quota.parent = parent;
        quota.what = tres;
        quota.shares = shares_on_its_level(accounts, account);
        if (parent >= 0) {
          quota.guarantee = count_in(cox::in_force(account.limits.guarantee, open_hours_), tres);
          quota.deserved = count_in(cox::in_force(account.limits.deserved, open_hours_), tres);
        }
        const TresList grp_tres = cox::in_force(account.limits.grp_tres, open_hours_);
        if (const TresCount* most = find(grp_tres, tres)) quota.most = most->count;
        const auto at = static_cast<std::int32_t>(all.size());
        all.push_back(std::move(quota));
        for (const Association* part : accounts.children(account.account))
          if (part->is_account()) add_tree(*part, tres, at);
      };
  const Association* root = accounts.account(std::string(root_account));
  if (root == nullptr) return all;
  for (const TresCount& tres : tres_with_quotas(accounts)) add_tree(*root, tres, -1);
  return all;
}

void LimitRegistry::set_tiers(const std::map<std::string, Qos>& all) {
  kept_.clear();
  for (const auto& [name, qos] : all)
    for (const TresCount& tres : qos.limits.kept_tres)
      if (schedule::is_of_nodes(tres) && tres.count > 0) kept_.push_back({name, qos.tier, tres});
}

// For each QOS of a higher tier that keeps a resource, adds a limit whose maximum is minus the kept
// amount. EngineFeed charges what the nodes have as a negative use, so the jobs may use all but the
// kept amount.
void LimitRegistry::add_kept(schedule::Limits& list, const Qos& own) {
  for (const Kept& kept : kept_) {
    if (kept.tier <= own.tier) continue;
    TresCount most = kept.what;
    most.count = -most.count;
    const std::int32_t id = add(list, {Of::Kept, "QOS " + kept.qos, "", false}, most).id;
    kept_limits_.try_emplace(id, kept.what);
  }
}

bool LimitRegistry::counts_gpu_types(const Accounts& accounts,
                                     const std::map<std::string, Qos>& all) {
  if (types_counted_) return *types_counted_;
  types_counted_ =
      std::ranges::any_of(accounts.all(),
                          [](const auto& one) {
                            const AssociationLimits& l = one.second.limits;
                            return counts_types(l.grp_tres) || counts_types(l.guarantee) ||
                                   counts_types(l.deserved) || counts_types(l.grp_tres_mins);
                          }) ||
      std::ranges::any_of(all, [](const auto& one) {
        const QosLimits& l = one.second.limits;
        return counts_types(l.grp_tres) || counts_types(l.max_tres_per_user) ||
               counts_types(l.kept_tres) || counts_types(l.grp_tres_mins);
      });
  return *types_counted_;
}

}  // namespace cox
