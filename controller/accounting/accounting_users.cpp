// Decides requests of sacctmgr about users.
#include <algorithm>
#include <set>

#include "common/base/text.h"
#include "controller/accounting/accounting_fields.h"
#include "controller/accounting/accounting_words.h"
#include "controller/accounting/association_changes.h"

namespace cox {
namespace {

using Settings = std::vector<AccountingSetting>;
using Names = std::vector<std::string>;

// What `add user` names: each user gets an association with each account and partition.
struct NewUsers {
  Names names, accounts, partitions;
  std::string default_account;
  Settings settings;
};

Result<NewUsers> new_users(Settings settings) {
  NewUsers all;
  all.names = take_values(settings, {"name", "user", "users"});
  all.accounts = take_accounts(settings);
  all.partitions = take_values(settings, {"partition", "partitions"});
  const Names defaults = take_values(settings, {"defaultaccount"});
  // AdminLevel is ignored: a caller is an administrator by its uid, not by its account.
  take_values(settings, {"adminlevel"});
  if (all.names.empty()) return Refusal{"no user is named", "add user NAME account=ACCOUNT"};
  if (!defaults.empty()) all.default_account = lower_case(defaults.back());
  if (all.accounts.empty() && !defaults.empty()) all.accounts = {all.default_account};
  if (all.accounts.empty())
    return Refusal{"no account is named",
                   "write account=ACCOUNT too: the account of the user's jobs"};
  if (all.partitions.empty()) all.partitions.emplace_back();
  all.settings = std::move(settings);
  return all;
}

Failure add_user(AssociationChanges& changes, const std::string& name, const std::string& account,
                 const std::string& partition, const Settings& set) {
  const Accounts& accounts = changes.accounts();
  if (accounts.account(account) == nullptr) return no_such_account(accounts, account);
  if (!partition.empty() && partition_of(changes.cluster().config(), partition) == nullptr)
    return Refusal{"there is no partition " + quoted(partition),
                   "`cox show partitions` lists them"};
  if (accounts.find(account, name, partition) != nullptr) {
    changes.skip({"user " + name + " is already in account " + account, "change it with modify"});
    return std::nullopt;
  }
  Association one;
  one.id = changes.take_id();
  one.account = account;
  one.user_name = name;
  one.partition = partition;
  one.is_default = accounts.default_of(name).empty();
  if (auto f = changes.set_all(one, set)) return f;
  changes.put(one);
  if (auto f = changes.check_qos(one)) return f;
  changes.say("  Account = " + account + (partition.empty() ? "" : "  Partition = " + partition));
  return std::nullopt;
}

Failure set_default(AssociationChanges& changes, const std::string& user,
                    const std::string& account) {
  bool found = false;
  std::vector<Association> changed;
  for (const Association* one : changes.accounts().of_user(user)) {
    const bool is_it = one->account == account;
    found = found || is_it;
    if (one->is_default == is_it) continue;
    changed.push_back(*one);
    changed.back().is_default = is_it;
  }
  if (!found)
    return Refusal{"user " + user + " is not in account " + account,
                   "add user " + user + " account=" + account};
  for (Association& one : changed) changes.put(std::move(one));
  return std::nullopt;
}

Failure add_users(AssociationChanges& changes, const Settings& settings) {
  const auto all = new_users(settings);
  if (!all) return all.refusal();
  if (auto f =
          changes.check_room(all->names.size() * all->accounts.size() * all->partitions.size()))
    return f;
  changes.say(" Adding User(s)");
  for (const std::string& name : all->names) {
    if (auto f = check_accounting_name("a user", name)) return f;
    changes.say("  " + name);
    for (const std::string& account : all->accounts)
      for (const std::string& partition : all->partitions)
        if (auto f = add_user(changes, name, account, partition, all->settings)) return f;
    if (!all->default_account.empty())
      if (auto f = set_default(changes, name, all->default_account)) return f;
  }
  return std::nullopt;
}

// Returns the associations that the request means; skips names that none of these has.
Result<std::vector<Association>> named_users(AssociationChanges& changes, Settings where) {
  const Names names = take_values(where, {"name", "user", "users"});
  const Names accounts = take_accounts(where);
  const Names partitions = take_values(where, {"partition", "partitions"});
  if (!where.empty())
    return Refusal{"users cannot be selected by " + quoted(where.front().name),
                   "select them by name=, account= and partition="};
  if (names.empty() && accounts.empty())
    return Refusal{"no user is named", "name it, as in: user ada"};
  const auto fits = [](const Names& any, const std::string& one) {
    return any.empty() || std::ranges::find(any, one) != any.end();
  };
  std::vector<Association> found;
  for (const auto& [id, one] : changes.accounts().all())
    if (!one.is_account() && fits(names, one.user_name) && fits(accounts, one.account) &&
        fits(partitions, one.partition))
      found.push_back(one);
  for (const std::string& name : names)
    if (std::ranges::find(found, name, &Association::user_name) == found.end())
      changes.skip(no_such_user(changes.accounts(), {name}, accounts, partitions));
  if (found.empty() && names.empty())
    changes.skip(no_such_user(changes.accounts(), {}, accounts, partitions));
  return found;
}

Failure modify_users(AssociationChanges& changes, const Settings& where, Settings set) {
  const auto found = named_users(changes, where);
  if (!found) return found.refusal();
  const Names defaults = take_values(set, {"defaultaccount"});
  const auto resets = take_reset(set);
  if (!resets) return resets.refusal();
  std::set<std::string> users;
  changes.say(" Modified user associations...");
  for (const Association& was : *found) {
    Association one = *changes.accounts().at(was.id);
    users.insert(one.user_name);
    if (auto f = changes.set_all(one, set)) return f;
    if (*resets) one = without_usage(std::move(one));
    changes.put(one);
    if (auto f = changes.check_qos(one)) return f;
    changes.say("  " + text_of(one));
  }
  if (!defaults.empty())
    for (const std::string& user : users)
      if (auto f = set_default(changes, user, lower_case(defaults.back()))) return f;
  return std::nullopt;
}

Failure delete_users(AssociationChanges& changes, const Settings& where) {
  const auto found = named_users(changes, where);
  if (!found) return found.refusal();
  changes.say(" Deleting users...");
  for (const Association& one : *found) {
    if (auto f = changes.remove_user(*changes.accounts().at(one.id))) return f;
    changes.say("  " + text_of(one));
  }
  return std::nullopt;
}

}  // namespace

Failure decide_users(AssociationChanges& changes, const AccountingRequest& request) {
  switch (request.verb) {
    case AccountingVerb::Add: return add_users(changes, request.where);
    case AccountingVerb::Modify: return modify_users(changes, request.where, request.set);
    case AccountingVerb::Delete: return delete_users(changes, request.where);
  }
  CHECK(false && "unknown AccountingVerb");
}

}  // namespace cox
