#include "controller/limits/accounts.h"

#include <algorithm>

#include "common/base/check.h"
#include "common/base/text.h"

namespace cox {

Accounts::Key Accounts::key_of(const Association& association) {
  return {association.account, association.user_name, association.partition};
}

void Accounts::put(Association association) {
  CHECK(association.id.value > 0);
  CHECK(association.is_root() ||
        account(association.is_account() ? association.parent : association.account) != nullptr);
  last_ = std::max(last_, association.id);
  Association& kept = all_[association.id];
  if (kept.id == association.id) {
    CHECK(key_of(kept) == key_of(association));
    if (kept.is_account()) parts_[kept.parent].erase(kept.account);
  } else {
    CHECK(by_name_.emplace(key_of(association), association.id).second);
    if (!association.is_account()) of_users_[association.user_name].insert(association.id);
  }
  kept = std::move(association);
  if (kept.is_account()) parts_[kept.parent].emplace(kept.account, kept.id);
}

void Accounts::remove(AssociationId id) {
  const auto found = all_.find(id);
  CHECK(found != all_.end());
  const Association& gone = found->second;
  CHECK(!gone.is_account() || children(gone.account).empty());
  by_name_.erase(key_of(gone));
  if (gone.is_account()) parts_[gone.parent].erase(gone.account);
  if (const auto user = of_users_.find(gone.user_name); user != of_users_.end()) {
    user->second.erase(id);
    if (user->second.empty()) of_users_.erase(user);
  }
  all_.erase(found);
}

AssociationId Accounts::next() const {
  return AssociationId{last_.value + 1};
}

const Association* Accounts::at(AssociationId id) const {
  const auto found = all_.find(id);
  return found == all_.end() ? nullptr : &found->second;
}

const Association* Accounts::find(const std::string& account, const std::string& user,
                                  const std::string& partition) const {
  const auto found = by_name_.find({account, user, partition});
  return found == by_name_.end() ? nullptr : at(found->second);
}

const Association* Accounts::account(const std::string& name) const {
  return find(name, "", "");
}

const Association* Accounts::of(const std::string& account, const std::string& user,
                                const std::string& partition) const {
  if (user.empty()) return nullptr;
  for (const std::string_view one : split(partition, ','))
    if (!one.empty())
      if (const Association* special = find(account, user, std::string(one))) return special;
  return find(account, user, "");
}

std::vector<const Association*> Accounts::of_user(const std::string& user) const {
  std::vector<const Association*> found;
  if (const auto of = of_users_.find(user); of != of_users_.end())
    for (const AssociationId id : of->second) found.push_back(at(id));
  return found;
}

std::string Accounts::default_of(const std::string& user) const {
  for (const Association* one : of_user(user))
    if (one->is_default) return one->account;
  return "";
}

std::vector<const Association*> Accounts::children(const std::string& account) const {
  std::vector<const Association*> found;
  if (const auto parts = parts_.find(account); parts != parts_.end())
    for (const auto& [name, id] : parts->second) found.push_back(at(id));
  for (auto at_name = by_name_.upper_bound({account, "", ""});
       at_name != by_name_.end() && std::get<0>(at_name->first) == account; ++at_name)
    if (!std::get<1>(at_name->first).empty()) found.push_back(at(at_name->second));
  return found;
}

std::vector<const Association*> Accounts::chain(const Association& from) const {
  std::vector<const Association*> up;
  const Association* one = &from;
  while (one != nullptr) {
    up.push_back(one);
    CHECK(up.size() <= all_.size());
    one = one->is_root() ? nullptr : account(one->is_account() ? one->parent : one->account);
  }
  return up;
}

bool Accounts::is_coordinator(const std::string& user, const std::string& name) const {
  const Association* from = account(name);
  if (from == nullptr || user.empty()) return false;
  return std::ranges::any_of(chain(*from), [&](const Association* one) {
    return std::ranges::find(one->coordinators, user) != one->coordinators.end();
  });
}

bool Accounts::is_coordinator(const std::string& user) const {
  return std::ranges::any_of(all_, [&](const auto& one) {
    const auto& names = one.second.coordinators;
    return std::ranges::find(names, user) != names.end();
  });
}

bool Accounts::is_below(const std::string& name, const std::string& above) const {
  const Association* from = account(name);
  if (from == nullptr) return false;
  return std::ranges::any_of(chain(*from),
                             [&](const Association* one) { return one->account == above; });
}

std::vector<std::string> Accounts::qos_of(const Association& association) const {
  for (const Association* one : chain(association))
    if (!one->qos.empty()) return one->qos;
  return {};
}

std::string Accounts::default_qos_of(const Association& association) const {
  for (const Association* one : chain(association))
    if (!one->default_qos.empty()) return one->default_qos;
  return "";
}

bool Accounts::counts_time(const Association& association) const {
  return std::ranges::any_of(chain(association), [](const Association* one) {
    return !one->limits.grp_tres_mins.empty() || one->limits.grp_wall_s.has_value();
  });
}

AssociationLimits Accounts::limits_of(const Association& association) const {
  AssociationLimits limits = association.limits;
  const auto inherit = [](auto& own, const auto& above) {
    if (own == std::remove_cvref_t<decltype(own)>{}) own = above;
  };
  for (const Association* one : chain(association)) {
    const AssociationLimits& above = one->limits;
    inherit(limits.max_tres_per_job, above.max_tres_per_job);
    inherit(limits.max_tres_mins_per_job, above.max_tres_mins_per_job);
    inherit(limits.max_jobs, above.max_jobs);
    inherit(limits.max_submit_jobs, above.max_submit_jobs);
    inherit(limits.max_wall_s, above.max_wall_s);
  }
  return limits;
}

std::string qos_unasked(const std::string& named, const std::vector<std::string>& allowed) {
  if (!named.empty()) return named;
  const bool may_standard =
      allowed.empty() || std::ranges::find(allowed, "standard") != allowed.end();
  return may_standard ? "standard" : allowed.front();
}

}  // namespace cox
