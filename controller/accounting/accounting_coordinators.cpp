#include "controller/accounting/accounting_coordinators.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "common/base/text.h"
#include "controller/accounting/accounting_fields.h"
#include "controller/accounting/accounting_words.h"

namespace cox {
namespace {

using Names = std::vector<std::string>;

// The settings that a coordinator's request may have. Only administrators may use any other.
constexpr auto plain_settings = std::to_array<std::string_view>(
    {"name", "user", "users", "account", "accounts", "acct", "parent", "partition", "partitions",
     "description", "organization"});

Refusal administrators_alone(const std::string& what) {
  return {what + " is for administrators only",
          "a coordinator adds and deletes users, accounts and coordinators below its account"};
}

Failure check_words(const std::vector<AccountingRequest>& requests) {
  for (const AccountingRequest& request : requests) {
    if (request.entity == AccountingEntity::Qos) return administrators_alone("a QOS");
    if (request.verb == AccountingVerb::Modify) return administrators_alone("modify");
    for (const AccountingSetting& one : request.where)
      if (std::ranges::find(plain_settings, one.name) == plain_settings.end())
        return administrators_alone(quoted(one.name));
  }
  return std::nullopt;
}

// Returns the account whose coordinators may add or delete the association. For an account that is
// its parent: coordinators may not delete the account that gives them the right.
std::string account_in_charge(const Association& one) {
  return one.is_account() ? one.parent : one.account;
}

Failure check_inside(const Accounts& accounts, const std::string& user, const Association& one) {
  if (accounts.is_coordinator(user, account_in_charge(one))) return std::nullopt;
  return Refusal{"user " + user + " is not a coordinator of account " + account_in_charge(one),
                 "ask the administrator of this cluster"};
}

// Checks that the coordinator may turn the association in `accounts` into `now`. A new association
// is checked against `after`, the tree with all changes of the request, since the account above it
// may be new, too.
Failure check_put(const Accounts& accounts, const Accounts& after, const std::string& user,
                  const Association& now) {
  const Association* known = accounts.at(now.id);
  if (known == nullptr) return check_inside(after, user, now);
  // These changes follow from others and need no right: when an association is removed, its usage
  // moves to its account, and another account may become the user's default.
  Association before = *known;
  before.usage = now.usage;
  before.usage_at = now.usage_at;
  before.is_default = now.is_default;
  if (before == now) return std::nullopt;
  before.coordinators = now.coordinators;
  if (before == now && accounts.is_coordinator(user, now.account)) return std::nullopt;
  return Refusal{"user " + user + " is not a coordinator of account " + now.account,
                 "ask the administrator of this cluster"};
}

Names named_coordinators(std::vector<AccountingSetting>& settings) {
  return take_values(settings, {"name", "user", "users"});
}

}  // namespace

Result<std::vector<Association>> with_coordinators(const Accounts& accounts,
                                                   const AccountingRequest& request, Names& lines) {
  std::vector<AccountingSetting> settings = request.where;
  const Names users = named_coordinators(settings);
  const Names named = take_accounts(settings);
  const bool adds = request.verb == AccountingVerb::Add;
  if (request.verb == AccountingVerb::Modify)
    return Refusal{"coordinators can only be added and deleted",
                   "add coordinator account=A names=USER"};
  if (!settings.empty())
    return Refusal{"coordinators cannot be selected by " + quoted(settings.front().name),
                   "select them by account= and names="};
  if (users.empty() || named.empty())
    return Refusal{"a coordinator needs an account and a user",
                   "add coordinator account=ACCOUNT names=USER"};
  for (const std::string& user : users)
    if (adds && accounts.of_user(user).empty()) return no_such_user(accounts, {user}, {}, {});
  std::vector<Association> changed;
  for (const std::string& name : named) {
    const Association* account = accounts.account(name);
    if (account == nullptr) return no_such_account(accounts, name);
    Association one = *account;
    for (const std::string& user : users) {
      std::erase(one.coordinators, user);
      if (adds) one.coordinators.push_back(user);
    }
    std::ranges::sort(one.coordinators);
    if (one != *account) changed.push_back(std::move(one));
  }
  if (changed.empty() && !adds)
    return nothing_done(request, {"no user named coordinates an account named",
                                  "`sacctmgr show account withcoordinator` lists them"});
  lines.emplace_back(adds ? " Adding Coordinator User(s)"
                          : " Removing Coordinators with user name");
  for (const std::string& user : users) lines.push_back("  " + user);
  lines.emplace_back(adds ? " To Account(s) and all sub-accounts" : " From Account(s)");
  for (const std::string& name : named) lines.push_back("  " + name);
  return changed;
}

std::vector<Association> without_coordinator(const Accounts& accounts, const std::string& user) {
  std::vector<Association> changed;
  for (const auto& [id, one] : accounts.all()) {
    if (std::ranges::find(one.coordinators, user) == one.coordinators.end()) continue;
    changed.push_back(one);
    std::erase(changed.back().coordinators, user);
  }
  return changed;
}

Failure check_coordinator(const Accounts& accounts, const std::string& user,
                          const std::vector<AccountingRequest>& requests,
                          const std::vector<Change>& changes) {
  if (auto f = check_words(requests)) return f;
  Accounts after = accounts;
  for (const Change& change : changes) {
    if (const auto* put = std::get_if<AssociationPut>(&change)) {
      if (auto f = check_put(accounts, after, user, put->association)) return f;
      after.put(put->association);
    } else if (const auto* gone = std::get_if<AssociationRemoved>(&change)) {
      const Association* one = accounts.at(gone->id);
      if (one != nullptr)
        if (auto f = check_inside(accounts, user, *one)) return f;
    } else {
      return administrators_alone("that");
    }
  }
  return std::nullopt;
}

}  // namespace cox
