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

// None, and each that the lists name.
std::vector<Open> hours_in(std::initializer_list<const TresList*> lists) {
  std::set<std::string> names;
  for (const TresList* list : lists)
    for (const TresCount& one : *list)
      if (!one.hours.empty()) names.insert(one.hours);
  std::vector<Open> all{{}};
  for (const std::string& name : names) all.push_back({name});
  return all;
}

std::optional<std::int64_t> count_in(const TresList& list, const TresCount& thing,
                                     const Open& open) {
  for (const TresCount& one : in_force(list, open))
    if (tres_name(one) == tres_name(thing)) return one.count;
  return std::nullopt;
}

std::string amount(const TresCount& thing, std::int64_t count) {
  TresCount one = thing;
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

// What the accounts of the tree are guaranteed of one thing while some hours are open.
class Guarantees {
 public:
  Guarantees(const Accounts& accounts, TresCount thing, Open open)
      : accounts_(accounts), thing_(std::move(thing)), open_(std::move(open)) {}

  std::int64_t below(const Association& account) {
    const auto known = below_.find(account.account);
    if (known != below_.end()) return known->second;
    std::int64_t sum = 0;
    for (const Association* part : accounts_.children(account.account))
      if (part->is_account()) sum = std::min(sum + of(*part), schedule::limit_none);
    return below_[account.account] = sum;
  }
  std::optional<std::int64_t> own(const Association& account) const {
    return count_in(account.limits.guarantee, thing_, open_);
  }
  const TresCount& thing() const { return thing_; }
  const Open& open() const { return open_; }

 private:
  // Its own, and at least what those below it are guaranteed together.
  std::int64_t of(const Association& account) {
    return std::max(own(account).value_or(0), below(account));
  }

  const Accounts& accounts_;
  TresCount thing_;
  Open open_;
  std::map<std::string, std::int64_t> below_;
};

// What is its own, and more than it may have by an account above it: it never gets it.
std::string beyond_reach(const Accounts& accounts, const Association& account,
                         const TresCount& deserved, const Open& open) {
  for (const Association* above : accounts.chain(account)) {
    if (above == &account) continue;
    const auto most = count_in(above->limits.grp_tres, deserved, open);
    if (!most || deserved.count <= *most) continue;
    return "account " + account.account + " deserves " + amount(deserved, deserved.count) +
           ", and account " + above->account + " above it has GrpTRES=" + amount(deserved, *most) +
           during(open) + ": it gets no more than that";
  }
  return "";
}

// Beside room that a tier keeps.
std::string doubt_beside(const Cluster& cluster, const TresCount& kept, std::int64_t guaranteed,
                         const std::string& when) {
  const std::int64_t there_is = cluster.there_is(kept);
  if (guaranteed == 0 || kept.count == 0 || guaranteed <= there_is - kept.count) return "";
  return "guarantees add up to " + amount(kept, guaranteed) + when + ", " +
         amount(kept, kept.count) + " is kept by KeptTRES, and the cluster has " +
         amount(kept, there_is) + "; a guarantee goes before what is kept";
}

// The most that any tier keeps of it.
TresCount most_kept(const std::map<std::string, Qos>& tiers, const TresCount& thing) {
  TresCount most = thing;
  most.count = 0;
  for (const auto& [name, qos] : tiers)
    most.count = std::max(most.count, count_in(qos.limits.kept_tres, thing, {}).value_or(0));
  return most;
}

std::string doubt_about(const Cluster& cluster, const std::map<std::string, Qos>& tiers,
                        Guarantees& guarantees, const Association& above) {
  const std::int64_t below = guarantees.below(above);
  const TresCount& thing = guarantees.thing();
  const std::string when = during(guarantees.open());
  if (!above.is_root()) {
    const auto own = guarantees.own(above);
    if (!own || below <= *own) return "";
    return "the accounts below " + above.account + " are guaranteed " + amount(thing, below) +
           " together, and it itself " + amount(thing, *own) + when + "; it is owed the greater";
  }
  const std::int64_t there_is = cluster.there_is(thing);
  if (cluster.nodes().empty()) return "";
  if (below <= there_is) return doubt_beside(cluster, most_kept(tiers, thing), below, when);
  return "guarantees add up to " + amount(thing, below) + when + ", and the cluster has " +
         amount(thing, there_is) + "; they are met in proportion";
}

}  // namespace

std::string doubt_about_kept(const Cluster& cluster, const Accounts& accounts,
                             const TresCount& kept) {
  const Association* root = accounts.account(std::string(root_account));
  if (root == nullptr) return "";
  return doubt_beside(cluster, kept, Guarantees(accounts, kept, {}).below(*root), "");
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

std::vector<std::string> doubts_about_quotas(const Cluster& cluster,
                                             const std::map<std::string, Qos>& tiers,
                                             const Accounts& accounts,
                                             const std::vector<std::string>& named) {
  std::map<std::string, Guarantees> all;  // by thing and hours
  std::set<std::pair<std::string, std::string>> judged;
  std::vector<std::string> doubts;
  for (const std::string& name : named) {
    const Association* account = accounts.account(name);
    for (const Open& open : hours_in({&account->limits.deserved}))
      for (const TresCount& thing : in_force(account->limits.deserved, open)) {
        std::string doubt = beyond_reach(accounts, *account, thing, open);
        if (!doubt.empty() && std::ranges::find(doubts, doubt) == doubts.end())
          doubts.push_back(std::move(doubt));
      }
    for (const Open& open : hours_in({&account->limits.guarantee}))
      for (const TresCount& thing : in_force(account->limits.guarantee, open)) {
        const std::string key = tres_name(thing) + during(open);
        Guarantees& guarantees = all.try_emplace(key, accounts, thing, open).first->second;
        for (const Association* one : accounts.chain(*account)) {
          if (!judged.emplace(key, one->account).second) continue;
          std::string doubt = doubt_about(cluster, tiers, guarantees, *one);
          if (!doubt.empty()) doubts.push_back(std::move(doubt));
        }
      }
  }
  return doubts;
}

}  // namespace cox
