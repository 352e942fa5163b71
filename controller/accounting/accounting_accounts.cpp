// Decides requests of sacctmgr about accounts.
#include <algorithm>

#include "common/base/limits.h"
#include "common/base/text.h"
#include "controller/accounting/accounting_fields.h"
#include "controller/accounting/accounting_words.h"
#include "controller/accounting/association_changes.h"

namespace cox {
namespace {

using Settings = std::vector<AccountingSetting>;
using Names = std::vector<std::string>;

// Refuses a parent that does not exist, that is below the account itself, or below which the
// account would be nested too deep.
Failure check_parent(const Accounts& accounts, const std::string& name, const std::string& parent) {
  const Association* above = accounts.account(parent);
  if (above == nullptr) return no_such_account(accounts, parent);
  if (parent == name)
    return Refusal{"account " + name + " cannot be its own parent", "choose another account"};
  if (accounts.is_below(parent, name))
    return Refusal{"account " + parent + " is below account " + name,
                   "choose a parent that is not below it"};
  if (accounts.chain(*above).size() < limits::account_depth_max) return std::nullopt;
  return Refusal{
      "accounts may be nested at most " + std::to_string(limits::account_depth_max) + " deep",
      "choose a parent nearer to the root"};
}

// Refuses a new parent if an account below the moved one, which moves too, would be too deep.
Failure check_depth(const Accounts& accounts, const Association& moved) {
  const std::size_t above = accounts.chain(*accounts.account(moved.parent)).size();
  const std::size_t before = accounts.chain(*accounts.account(moved.account)).size();
  for (const auto& [id, one] : accounts.all())
    if (one.is_account() && accounts.is_below(one.account, moved.account) &&
        accounts.chain(one).size() - before + above + 1 > limits::account_depth_max)
      return Refusal{"account " + one.account + " would be nested more than " +
                         std::to_string(limits::account_depth_max) + " deep",
                     "choose a parent nearer to the root"};
  return std::nullopt;
}

// Resets the usage of the account and of all accounts and users below it, which it consists of.
void forget_usage(AssociationChanges& changes, const std::string& account) {
  std::vector<Association> used;
  for (const auto& [id, one] : changes.accounts().all())
    if (!one.usage.empty() && changes.accounts().is_below(one.account, account))
      used.push_back(one);
  for (Association& one : used) changes.put(without_usage(std::move(one)));
}

Names names_in(Settings& settings) {
  Names names = take_values(settings, {"name"});
  for (const std::string& more : take_accounts(settings)) names.push_back(more);
  return lower_all(names);
}

Failure add_account(AssociationChanges& changes, const std::string& name, const std::string& parent,
                    const Settings& settings) {
  if (auto f = check_accounting_name("an account", name)) return f;
  if (changes.accounts().account(name) != nullptr) {
    changes.skip({"account " + name + " already exists", "change it with modify"});
    return std::nullopt;
  }
  if (auto f = check_parent(changes.accounts(), name, parent)) return f;
  Association one;
  one.id = changes.take_id();
  one.account = name;
  one.parent = parent;
  one.description = name;
  if (auto f = changes.set_all(one, settings)) return f;
  changes.put(one);
  if (auto f = changes.check_qos(one)) return f;
  changes.say("  " + name);
  return changes.check_new_quotas(one, settings);
}

Failure add_accounts(AssociationChanges& changes, Settings settings) {
  const Names names = names_in(settings);
  const Names parents = take_values(settings, {"parent"});
  if (names.empty()) return Refusal{"no account is named", "add account NAME"};
  if (auto f = changes.check_room(names.size())) return f;
  const std::string parent =
      parents.empty() ? std::string(root_account) : lower_case(parents.back());
  changes.say(" Adding Account(s)");
  for (const std::string& name : names)
    if (auto f = add_account(changes, name, parent, settings)) return f;
  return std::nullopt;
}

// Returns the accounts that the request names and that exist; skips the others.
Result<Names> named_accounts(AssociationChanges& changes, Settings where) {
  Names names = names_in(where);
  if (!where.empty())
    return Refusal{"accounts cannot be selected by " + quoted(where.front().name),
                   "select them by name"};
  if (names.empty()) return Refusal{"no account is named", "name it, as in: account physics"};
  std::erase_if(names, [&](const std::string& name) {
    if (changes.accounts().account(name) != nullptr) return false;
    changes.skip(no_such_account(changes.accounts(), name));
    return true;
  });
  return names;
}

Failure modify_accounts(AssociationChanges& changes, const Settings& where, Settings set) {
  const auto names = named_accounts(changes, where);
  if (!names) return names.refusal();
  const Names parents = take_values(set, {"parent"});
  const auto resets = take_reset(set);
  if (!resets) return resets.refusal();
  changes.say(" Modified account associations...");
  for (const std::string& name : *names) {
    Association one = *changes.accounts().account(name);
    if (!parents.empty()) {
      if (one.is_root())
        return Refusal{"the root account cannot have a parent", "leave parent out"};
      one.parent = lower_case(parents.back());
      if (auto f = check_parent(changes.accounts(), name, one.parent)) return f;
      if (auto f = check_depth(changes.accounts(), one)) return f;
    }
    if (auto f = changes.set_all(one, set)) return f;
    changes.put(one);
    if (auto f = changes.check_qos(one)) return f;
    if (*resets) forget_usage(changes, name);
    changes.say("  " + name);
    if (auto f = changes.check_new_quotas(one, set)) return f;
  }
  return std::nullopt;
}

Failure delete_account(AssociationChanges& changes, const std::string& name) {
  if (changes.accounts().account(name)->is_root())
    return Refusal{"the root account cannot be deleted", "delete accounts below it"};
  const auto parts = changes.accounts().children(name);
  for (const Association* part : parts)
    if (part->is_account())
      return Refusal{"account " + part->account + " is below account " + name,
                     "delete it first, or give it another parent"};
  for (const Association* part : parts) {
    const Association user = *part;
    if (auto f = changes.remove_user(user)) return f;
    changes.say("  " + text_of(user));
  }
  changes.remove_account(name);
  changes.say("  " + name);
  return std::nullopt;
}

Failure delete_accounts(AssociationChanges& changes, const Settings& where) {
  const auto names = named_accounts(changes, where);
  if (!names) return names.refusal();
  changes.say(" Deleting account associations...");
  for (const std::string& name : *names)
    if (auto f = delete_account(changes, name)) return f;
  return std::nullopt;
}

}  // namespace

Failure decide_accounts(AssociationChanges& changes, const AccountingRequest& request) {
  switch (request.verb) {
    case AccountingVerb::Add: return add_accounts(changes, request.where);
    case AccountingVerb::Modify: return modify_accounts(changes, request.where, request.set);
    case AccountingVerb::Delete: return delete_accounts(changes, request.where);
  }
  CHECK(false && "unknown AccountingVerb");
}

}  // namespace cox
