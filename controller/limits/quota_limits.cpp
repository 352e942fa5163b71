// Quotas of accounts, and room that tiers keep, as limits that jobs count against.
#include <algorithm>
#include <functional>

#include "common/base/check.h"
#include "common/base/limits.h"
#include "controller/limits/qos_limits.h"
#include "schedule/queue/quota.h"

namespace cox {
namespace {

const TresCount* find(const TresList& list, const TresCount& thing) {
  const auto found = std::ranges::find_if(
      list, [&](const TresCount& one) { return tres_name(one) == tres_name(thing); });
  return found == list.end() ? nullptr : &*found;
}

std::int64_t count_in(const TresList& list, const TresCount& thing) {
  std::int64_t most = 0;
  for (const TresCount& one : list)
    if (tres_name(one) == tres_name(thing)) most = std::max(most, one.count);
  return most;
}

bool counts_types(const TresList& list) {
  return std::ranges::any_of(
      list, [](const TresCount& one) { return one.what == Tres::GpuMilli && !one.type.empty(); });
}

}  // namespace

std::vector<TresCount> quota_things(const Accounts& accounts) {
  std::map<std::string, TresCount> things;
  for (const auto& [id, one] : accounts.all())
    for (const TresList* list : {&one.limits.guarantee, &one.limits.deserved})
      for (TresCount thing : *list)
        if (one.is_account() && schedule::is_of_nodes(thing)) {
          thing.count = 0;
          thing.hours.clear();
          things.emplace(tres_name(thing), std::move(thing));
        }
  std::vector<TresCount> all;
  for (auto& [name, thing] : things) all.push_back(std::move(thing));
  return all;
}

const std::vector<TresCount>& LimitRegistry::things(const Accounts& accounts) {
  if (!things_) things_ = quota_things(accounts);
  return *things_;
}

PreemptionYield gives_way(const Partitions& partitions, const Qos& qos) {
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

// Its own, and at least what those below it are owed together.
std::int64_t owed(const Accounts& accounts, const Association& account, const TresCount& thing,
                  const std::set<std::string>* open) {
  std::int64_t below = 0;
  for (const Association* part : accounts.children(account.account))
    if (part->is_account())
      below = std::min(below + owed(accounts, *part, thing, open), schedule::limit_none);
  return std::max({below, count_in(in_force(account.limits.guarantee, open), thing),
                   count_in(in_force(account.limits.deserved, open), thing)});
}

// Of an account with fairshare=parent, all that stands on its level in its place.
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
                                   const TresCount& thing, const std::set<std::string>* open) {
  std::vector<FirmLimit> limits;
  for (const Association* one : accounts.chain(own)) {
    if (!one->is_account() || (one->is_root() && !limits.empty())) continue;
    const bool is_last = one->is_root() || one->parent == root_account;
    const std::int64_t most = one->is_root() ? 0 : owed(accounts, *one, thing, open);
    const bool says = find(in_force(one->limits.guarantee, open), thing) != nullptr ||
                      find(in_force(one->limits.deserved, open), thing) != nullptr;
    if (most > 0 || says || (is_last && limits.empty())) limits.push_back({one, most});
  }
  return limits;
}

// What is counted besides, of accounts that limit nothing of it themselves. Who does not give way
// with it could not give back what is lent to it.
void LimitRegistry::add_quotas(schedule::Limits& list, const Association& own,
                               PreemptionYield gives_way, const Accounts& accounts) {
  for (const TresCount& thing : things(accounts)) {
    for (const Association* one : accounts.chain(own)) {
      if (!one->is_account()) continue;
      const std::int32_t id = id_of({Of::Association, text_of(*one), "", false}, thing);
      if (std::ranges::find(list, id, &schedule::Limit::id) != list.end()) continue;
      list.push_back({id, thing, 0});
      list.back().most.count = schedule::limit_none;
    }
    if (gives_back(gives_way, thing)) continue;
    for (const FirmLimit& firm : firm_limits(accounts, own, thing, &open_hours_)) {
      TresCount most = thing;
      most.count = firm.most;
      add(list, {Of::AssociationFirm, text_of(*firm.account), "", false}, std::move(most));
    }
  }
}

// Its own quota of each thing, and those below it, so that a tree stands together.
std::vector<schedule::Quota> LimitRegistry::quotas(const Accounts& accounts) {
  std::vector<schedule::Quota> all;
  const std::function<void(const Association&, const TresCount&, std::int32_t)> add_tree =
      [&](const Association& account, const TresCount& thing, std::int32_t parent) {
        schedule::Quota quota;
        quota.limit = id_of({Of::Association, text_of(account), "", false}, thing);
        quota.parent = parent;
        quota.what = thing;
        quota.shares = shares_on_its_level(accounts, account);
        if (parent >= 0) {
          quota.guarantee = count_in(cox::in_force(account.limits.guarantee, open_hours_), thing);
          quota.deserved = count_in(cox::in_force(account.limits.deserved, open_hours_), thing);
        }
        const TresList grp_tres = cox::in_force(account.limits.grp_tres, open_hours_);
        if (const TresCount* most = find(grp_tres, thing)) quota.most = most->count;
        const auto at = static_cast<std::int32_t>(all.size());
        all.push_back(std::move(quota));
        for (const Association* part : accounts.children(account.account))
          if (part->is_account()) add_tree(*part, thing, at);
      };
  const Association* root = accounts.account(std::string(root_account));
  if (root == nullptr) return all;
  for (const TresCount& thing : things(accounts)) add_tree(*root, thing, -1);
  return all;
}

void LimitRegistry::set_tiers(const std::map<std::string, Qos>& all) {
  kept_.clear();
  for (const auto& [name, qos] : all)
    for (const TresCount& thing : qos.limits.kept_tres)
      if (schedule::is_of_nodes(thing) && thing.count > 0) kept_.push_back({name, qos.tier, thing});
}

// Of tiers above: so much less than there is. What there is, the cluster charges against it.
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
