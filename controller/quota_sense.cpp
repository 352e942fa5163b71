#include "controller/quota_sense.h"

#include <algorithm>
#include <optional>
#include <set>

#include "controller/hours.h"
#include "schedule/quota.h"

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

// Its own, and at least what those below it are guaranteed together.
std::int64_t guaranteed(const Accounts& accounts, const Association& account,
                        const TresCount& thing, const Open& open);

std::int64_t guaranteed_below(const Accounts& accounts, const Association& account,
                              const TresCount& thing, const Open& open) {
  std::int64_t below = 0;
  for (const Association* part : accounts.children(account.account))
    if (part->is_account())
      below = std::min(below + guaranteed(accounts, *part, thing, open), schedule::limit_none);
  return below;
}

std::int64_t guaranteed(const Accounts& accounts, const Association& account,
                        const TresCount& thing, const Open& open) {
  const std::int64_t own = count_in(account.limits.guarantee, thing, open).value_or(0);
  return std::max(own, guaranteed_below(accounts, account, thing, open));
}

std::string doubt_about(const Cluster& cluster, const Accounts& accounts, const Association& above,
                        const TresCount& thing, const Open& open) {
  const std::int64_t below = guaranteed_below(accounts, above, thing, open);
  if (!above.is_root()) {
    const auto own = count_in(above.limits.guarantee, thing, open);
    if (!own || below <= *own) return "";
    return "the accounts below " + above.account + " are guaranteed " + amount(thing, below) +
           " together, and it itself " + amount(thing, *own) + during(open) +
           "; it is owed the greater";
  }
  std::int64_t there_is = 0;
  for (const auto& [name, node] : cluster.nodes())
    there_is += schedule::amount_of(node.total, thing);
  if (cluster.nodes().empty() || below <= there_is) return "";
  return "guarantees add up to " + amount(thing, below) + during(open) + ", and the cluster has " +
         amount(thing, there_is) + "; they are met in proportion";
}

}  // namespace

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

std::vector<std::string> doubts_about_quotas(const Cluster& cluster, const Accounts& accounts,
                                             const Association& account) {
  std::vector<std::string> doubts;
  for (const Open& open : hours_in({&account.limits.guarantee}))
    for (const TresCount& thing : in_force(account.limits.guarantee, open))
      for (const Association* one : accounts.chain(account)) {
        std::string doubt = doubt_about(cluster, accounts, *one, thing, open);
        if (!doubt.empty() && std::ranges::find(doubts, doubt) == doubts.end())
          doubts.push_back(std::move(doubt));
      }
  return doubts;
}

}  // namespace cox
