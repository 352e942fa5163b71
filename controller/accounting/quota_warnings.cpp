#include "controller/accounting/quota_warnings.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "controller/limits/hours.h"
#include "schedule/queue/quota.h"

namespace cox {
namespace {

using Open = std::set<std::string>;

// Returns the sets of open hours to check: the empty set, and one for each name in the lists.
std::vector<Open> hours_in(std::initializer_list<const TresList*> lists) {
  std::set<std::string> names;
  for (const TresList* list : lists)
    for (const TresCount& one : *list)
      if (!one.hours.empty()) names.insert(one.hours);
  std::vector<Open> all{{}};
  for (const std::string& name : names) all.push_back({name});
  return all;
}

std::optional<std::int64_t> count_in(const TresList& list, const TresCount& tres,
                                     const Open& open) {
  for (const TresCount& one : in_force(list, open))
    if (tres_name(one) == tres_name(tres)) return one.count;
  return std::nullopt;
}

std::string amount(const TresCount& tres, std::int64_t count) {
  TresCount one = tres;
  one.count = count;
  return tres_name(one) + "=" + tres_amount(one);
}

std::string during(const Open& open) {
  return open.empty() ? "" : " (hours " + *open.begin() + ")";
}

struct Amounts {
  const char* name;
  const TresList& list;
};

Failure check_at_most(const Amounts& less, const Amounts& more, const Open& open) {
  for (const TresCount& one : in_force(less.list, open)) {
    const auto most = count_in(more.list, one, open);
    if (!most || one.count <= *most) continue;
    return Refusal{std::string(less.name) + "=" + amount(one, one.count) + " is more than " +
                       more.name + "=" + amount(one, *most) + during(open),
                   std::string("set ") + less.name + " to less, or " + more.name +
                       " to more in the same command"};
  }
  return std::nullopt;
}

// What the accounts of the tree are guaranteed of one resource while these hours are open.
class Guarantees {
 public:
  Guarantees(const Accounts& accounts, TresCount tres, Open open)
      : accounts_(accounts), tres_(std::move(tres)), open_(std::move(open)) {}

  std::int64_t below(const Association& account) {
    const auto known = below_.find(account.account);
    if (known != below_.end()) return known->second;
    std::int64_t sum = 0;
    for (const Association* part : accounts_.children(account.account))
      if (part->is_account()) sum = std::min(sum + of(*part), schedule::limit_none);
    return below_[account.account] = sum;
  }
  std::optional<std::int64_t> own(const Association& account) const {
    return count_in(account.limits.guarantee, tres_, open_);
  }
  const TresCount& tres() const { return tres_; }
  const Open& open() const { return open_; }

 private:
  // Returns the account's own guarantee, or the sum of those below it if that is greater.
  std::int64_t of(const Association& account) {
    return std::max(own(account).value_or(0), below(account));
  }

  const Accounts& accounts_;
  TresCount tres_;
  Open open_;
  std::map<std::string, std::int64_t> below_;
};

// Returns a sentence if the account can never get its deserved share, because an account above it
// has a smaller GrpTRES; otherwise "".
std::string beyond_reach(const Accounts& accounts, const Association& account,
                         const TresCount& deserved, const Open& open) {
  for (const Association* above : accounts.chain(account)) {
    if (above == &account) continue;
    const auto most = count_in(above->limits.grp_tres, deserved, open);
    if (!most || deserved.count <= *most) continue;
    return "account " + account.account + " deserves " + amount(deserved, deserved.count) +
           ", but account " + above->account + " above it has GrpTRES=" + amount(deserved, *most) +
           during(open) + ": account " + account.account + " cannot get more than that";
  }
  return "";
}

// Returns a sentence if guarantees and KeptTRES together reserve more than the cluster has.
std::string kept_conflict_warning(const Cluster& cluster, const TresCount& kept,
                                  std::int64_t guaranteed, const std::string& when) {
  const std::int64_t total = cluster.nodes().total_of(kept);
  if (guaranteed == 0 || kept.count == 0 || guaranteed <= total - kept.count) return "";
  return "guarantees add up to " + amount(kept, guaranteed) + when + ", KeptTRES reserves " +
         amount(kept, kept.count) + ", and the cluster has only " + amount(kept, total) +
         "; guarantees take precedence over KeptTRES";
}

// Returns the most that KeptTRES of any QOS reserves of this resource.
TresCount most_kept(const std::map<std::string, Qos>& tiers, const TresCount& tres) {
  TresCount most = tres;
  most.count = 0;
  for (const auto& [name, qos] : tiers)
    most.count = std::max(most.count, count_in(qos.limits.kept_tres, tres, {}).value_or(0));
  return most;
}

std::string guarantee_warning(const Cluster& cluster, const std::map<std::string, Qos>& tiers,
                              Guarantees& guarantees, const Association& above) {
  const std::int64_t below = guarantees.below(above);
  const TresCount& tres = guarantees.tres();
  const std::string when = during(guarantees.open());
  if (!above.is_root()) {
    const auto own = guarantees.own(above);
    if (!own || below <= *own) return "";
    return "the accounts below " + above.account + " are guaranteed " + amount(tres, below) +
           " together, and " + above.account + " itself " + amount(tres, *own) + when +
           "; the greater amount is guaranteed";
  }
  const std::int64_t total = cluster.nodes().total_of(tres);
  if (cluster.nodes().all().empty()) return "";
  if (below <= total) return kept_conflict_warning(cluster, most_kept(tiers, tres), below, when);
  return "guarantees add up to " + amount(tres, below) + when + ", and the cluster has " +
         amount(tres, total) + "; they are met in proportion";
}

}  // namespace

std::string kept_warning(const Cluster& cluster, const Accounts& accounts, const TresCount& kept) {
  const Association* root = accounts.account(std::string(root_account));
  if (root == nullptr) return "";
  return kept_conflict_warning(cluster, kept, Guarantees(accounts, kept, {}).below(*root), "");
}

Failure check_quotas(const Association& account) {
  const AssociationLimits& limits = account.limits;
  const Amounts guarantee{"guarantee", limits.guarantee};
  const Amounts deserved{"deserved", limits.deserved};
  const Amounts most{"GrpTRES", limits.grp_tres};
  for (const Open& open : hours_in({&limits.guarantee, &limits.deserved, &limits.grp_tres})) {
    if (auto f = check_at_most(guarantee, deserved, open)) return f;
    if (auto f = check_at_most(guarantee, most, open)) return f;
    if (auto f = check_at_most(deserved, most, open)) return f;
  }
  return std::nullopt;
}

std::vector<std::string> quota_warnings(const Cluster& cluster,
                                        const std::map<std::string, Qos>& tiers,
                                        const Accounts& accounts,
                                        const std::vector<std::string>& named) {
  std::map<std::string, Guarantees> all;  // by resource and by the hours that are open
  std::set<std::pair<std::string, std::string>> checked;
  std::vector<std::string> warnings;
  for (const std::string& name : named) {
    const Association* account = accounts.account(name);
    for (const Open& open : hours_in({&account->limits.deserved}))
      for (const TresCount& tres : in_force(account->limits.deserved, open)) {
        std::string warning = beyond_reach(accounts, *account, tres, open);
        if (!warning.empty() && std::ranges::find(warnings, warning) == warnings.end())
          warnings.push_back(std::move(warning));
      }
    for (const Open& open : hours_in({&account->limits.guarantee}))
      for (const TresCount& tres : in_force(account->limits.guarantee, open)) {
        const std::string key = tres_name(tres) + during(open);
        Guarantees& guarantees = all.try_emplace(key, accounts, tres, open).first->second;
        for (const Association* one : accounts.chain(*account)) {
          if (!checked.emplace(key, one->account).second) continue;
          std::string warning = guarantee_warning(cluster, tiers, guarantees, *one);
          if (!warning.empty()) warnings.push_back(std::move(warning));
        }
      }
  }
  return warnings;
}

}  // namespace cox
