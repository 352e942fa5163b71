#include "controller/accounting/accounting.h"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <set>

#include "common/base/hostlist.h"
#include "common/base/limits.h"
#include "common/base/nearest.h"
#include "common/base/text.h"
#include "common/job/job_ref.h"
#include "controller/accounting/accounting_coordinators.h"
#include "controller/accounting/accounting_fields.h"
#include "controller/accounting/accounting_words.h"
#include "controller/accounting/limit_warnings.h"
#include "controller/accounting/quota_warnings.h"
#include "controller/job/request.h"
#include "controller/limits/hours.h"
#include "controller/state/usage.h"

namespace cox {
namespace {

using Settings = std::vector<AccountingSetting>;
using Names = std::vector<std::string>;

constexpr std::size_t jobs_named_max = 3;

class Ruler {
 public:
  Ruler(const Cluster& cluster, AccountingBooks& books)
      : cluster_(cluster), accounts_(books.accounts), qos_(books.qos), next_(accounts_.next()) {}

  Result<AccountingRuling> rule(const AccountingRequest& request) {
    const auto failed = apply_request(request);
    if (failed) return *failed;
    if (request.verb != AccountingVerb::Delete)
      for (const Settings* settings : {&request.where, &request.set})
        for (const std::string& warning : tres_warnings(cluster_, accounts_, *settings))
          say(" Warning: " + warning);
    for (const std::string& warning : quota_warnings(cluster_, qos_, accounts_, quotas_set_))
      say(" Warning: " + warning);
    return std::move(ruling_);
  }

 private:
  Failure apply_request(const AccountingRequest& request) {
    Settings where = request.where;
    const bool adds = request.verb == AccountingVerb::Add;
    const bool deletes = request.verb == AccountingVerb::Delete;
    switch (request.entity) {
      case AccountingEntity::Account:
        return adds      ? add_accounts(where)
               : deletes ? delete_accounts(where)
                         : modify_accounts(where, request.set);
      case AccountingEntity::User:
        return adds      ? add_users(where)
               : deletes ? delete_users(where)
                         : modify_users(where, request.set);
      case AccountingEntity::Coordinator: return change_coordinators(request);
      case AccountingEntity::Qos: CHECK(false && "accounting_qos.cpp rules on tiers");
    }
    CHECK(false && "unknown AccountingEntity");
  }

  void say(std::string line) { ruling_.lines.push_back(std::move(line)); }
  void put(Association association) {
    accounts_.put(association);
    ruling_.changes.emplace_back(AssociationPut{std::move(association)});
  }
  void remove(AssociationId id) {
    accounts_.remove(id);
    ruling_.changes.emplace_back(AssociationRemoved{id});
  }

  Milliseconds half_life() const { return cluster_.config().usage.half_life; }

  // ---- names of accounts, users and QOS

  Refusal no_account(const std::string& name) const { return no_such_account(accounts_, name); }

  Failure check_qos(const Association& one) const {
    Names asked = one.qos;
    if (!one.default_qos.empty()) asked.push_back(one.default_qos);
    for (const std::string& name : asked)
      if (!qos_.contains(name))
        return Refusal{"there is no QOS " + quoted(name), "`cox show qos` lists them"};
    const Names allowed = accounts_.qos_of(one);
    const std::string first = accounts_.default_qos_of(one);
    if (first.empty() || allowed.empty() || std::ranges::find(allowed, first) != allowed.end())
      return std::nullopt;
    return Refusal{text_of(one) + " may not use the default QOS " + first,
                   "add it with qos+=" + first + ", or choose another default"};
  }

  // Returns the account above `one`, which itself need not be in the tree yet. Null: `one` is the
  // root.
  const Association* above(const Association& one) const {
    if (one.is_root()) return nullptr;
    return accounts_.account(one.is_account() ? one.parent : one.account);
  }

  // Returns the QOS that the association may use if it has no list of its own: those of the account
  // above it, or every QOS if no account above has a list.
  Names qos_from_above(const Association& one) const {
    Names names;
    if (const Association* account = above(one)) names = accounts_.qos_of(*account);
    if (names.empty())
      for (const auto& [name, qos] : qos_) names.push_back(name);
    return names;
  }

  std::string qos_unasked(const Association& one, const Names& allowed) const {
    std::string named = one.default_qos;
    if (const Association* account = above(one); account != nullptr && named.empty())
      named = accounts_.default_qos_of(*account);
    return cox::qos_unasked(named, allowed);
  }

  // Sets the list of QOS. "=" replaces the list. "+=" and "-=" start from the QOS that the
  // association may use now, inherited or not, and keep the QOS of jobs that name none. If an
  // inherited list does not change, it stays inherited.
  Failure set_qos(Association& one, const AccountingSetting& setting) const {
    if (setting.change == '=') return set_field(one, setting);
    const bool had_none = one.qos.empty();
    const Names from_above = qos_from_above(one);
    if (had_none) one.qos = from_above;
    const std::string unasked = qos_unasked(one, one.qos);
    if (auto f = set_field(one, setting)) return f;
    if (one.qos.empty())
      return Refusal{"without " + setting.value + ", " + text_of(one) + " has no QOS left",
                     "set qos=NAME, or qos=-1 for the QOS of the account above"};
    const bool has_it_yet = std::ranges::find(one.qos, unasked) != one.qos.end();
    if (has_it_yet && qos_unasked(one, one.qos) != unasked) one.default_qos = unasked;
    if (had_none && std::ranges::is_permutation(one.qos, from_above)) one.qos.clear();
    return std::nullopt;
  }

  Failure set_all(Association& one, const Settings& set) const {
    const AssociationLimits before = one.limits;
    for (const AccountingSetting& setting : set) {
      const bool is_qos = setting.name == "qos" || setting.name == "qoslevel";
      if (auto f = is_qos ? set_qos(one, setting) : set_field(one, setting)) return f;
    }
    return check_hours(cluster_.config().hours, one.limits, before);
  }

  Failure check_room(std::size_t more) const {
    if (accounts_.all().size() + more <= limits::associations_max) return std::nullopt;
    return Refusal{"there would be more than " + std::to_string(limits::associations_max) +
                       " accounts and users, the limit",
                   "delete some"};
  }

  // Refuses a parent that does not exist, that is below the account itself, or below which the
  // account would be nested too deep.
  Failure check_parent(const std::string& name, const std::string& parent) const {
    const Association* above = accounts_.account(parent);
    if (above == nullptr) return no_account(parent);
    if (parent == name)
      return Refusal{"account " + name + " cannot be its own parent", "choose another account"};
    if (accounts_.is_below(parent, name))
      return Refusal{"account " + parent + " is below account " + name,
                     "choose a parent that is not below it"};
    if (accounts_.chain(*above).size() < limits::account_depth_max) return std::nullopt;
    return Refusal{
        "accounts may be nested at most " + std::to_string(limits::account_depth_max) + " deep",
        "choose a parent nearer to the root"};
  }

  // Checks the quotas of an account if the request sets any. Remembers the account, since the
  // answer warns of quotas that cannot have their effect. REQUIRES: the account is in the tree.
  Failure check_new_quotas(const Association& one, const Settings& set) {
    const auto is_quota = [](const AccountingSetting& s) {
      return s.name == "guarantee" || s.name == "deserved" || s.name == "grptres";
    };
    if (!one.is_account() || std::ranges::none_of(set, is_quota)) return std::nullopt;
    quotas_set_.push_back(one.account);
    return check_quotas(one);
  }

  // ---- accounts

  Failure add_accounts(Settings& settings) {
    Names names = take_values(settings, {"name"});
    for (const std::string& more : take_accounts(settings)) names.push_back(more);
    names = lower_all(names);
    const Names parents = take_values(settings, {"parent"});
    if (names.empty()) return Refusal{"no account is named", "add account NAME"};
    if (auto f = check_room(names.size())) return f;
    const std::string parent =
        parents.empty() ? std::string(root_account) : lower_case(parents.back());
    say(" Adding Account(s)");
    for (const std::string& name : names) {
      if (auto f = check_accounting_name("an account", name)) return f;
      if (accounts_.account(name) != nullptr)
        return Refusal{"account " + name + " already exists", "change it with modify"};
      if (auto f = check_parent(name, parent)) return f;
      Association one;
      one.id = next_;
      next_.value += 1;
      one.account = name;
      one.parent = parent;
      one.description = name;
      if (auto f = set_all(one, settings)) return f;
      put(one);
      if (auto f = check_qos(one)) return f;
      say("  " + name);
      if (auto f = check_new_quotas(one, settings)) return f;
    }
    return std::nullopt;
  }

  Failure named_accounts(Settings& where, Names& names) const {
    names = take_values(where, {"name"});
    for (const std::string& more : take_accounts(where)) names.push_back(more);
    names = lower_all(names);
    if (!where.empty())
      return Refusal{"accounts cannot be selected by " + quoted(where.front().name),
                     "select them by name"};
    if (names.empty()) return Refusal{"no account is named", "name it, as in: account physics"};
    for (const std::string& name : names)
      if (accounts_.account(name) == nullptr) return no_account(name);
    return std::nullopt;
  }

  Failure modify_accounts(Settings& where, Settings set) {
    Names names;
    if (auto f = named_accounts(where, names)) return f;
    const Names parents = take_values(set, {"parent"});
    const auto resets = take_reset(set);
    if (!resets) return resets.refusal();
    say(" Modified account associations...");
    for (const std::string& name : names) {
      Association one = *accounts_.account(name);
      if (!parents.empty()) {
        if (one.is_root())
          return Refusal{"the root account cannot have a parent", "leave parent out"};
        one.parent = lower_case(parents.back());
        if (auto f = check_parent(name, one.parent)) return f;
        if (auto f = check_depth(one)) return f;
      }
      if (auto f = set_all(one, set)) return f;
      put(one);
      if (auto f = check_qos(one)) return f;
      if (*resets) forget_usage(name);
      say("  " + name);
      if (auto f = check_new_quotas(one, set)) return f;
    }
    return std::nullopt;
  }

  // Resets the usage of the account and of all accounts and users below it, which it consists of.
  void forget_usage(const std::string& account) {
    std::vector<Association> used;
    for (const auto& [id, one] : accounts_.all())
      if (!one.usage.empty() && accounts_.is_below(one.account, account)) used.push_back(one);
    for (Association& one : used) put(without_usage(std::move(one)));
  }
  // Refuses a new parent if an account below the moved one, which moves too, would be too deep.
  Failure check_depth(const Association& moved) const {
    const std::size_t above = accounts_.chain(*accounts_.account(moved.parent)).size();
    const std::size_t before = accounts_.chain(*accounts_.account(moved.account)).size();
    for (const auto& [id, one] : accounts_.all())
      if (one.is_account() && accounts_.is_below(one.account, moved.account) &&
          accounts_.chain(one).size() - before + above + 1 > limits::account_depth_max)
        return Refusal{"account " + one.account + " would be nested more than " +
                           std::to_string(limits::account_depth_max) + " deep",
                       "choose a parent nearer to the root"};
    return std::nullopt;
  }

  // Returns the ids of the first few unfinished jobs of each association, for refusals to delete
  // it.
  const std::map<AssociationId, Names>& jobs() {
    if (jobs_) return *jobs_;
    jobs_.emplace();
    for (const JobId id : cluster_.jobs().unfinished())
      if (const Association* one =
              cluster_.accounting().accounts().of(*cluster_.job(id)->job.spec)) {
        Names& some = (*jobs_)[one->id];
        if (some.size() < jobs_named_max) some.push_back(command_id(cluster_.job(id)->job));
      }
    return *jobs_;
  }

  Failure check_no_jobs(const Association& one) {
    const auto found = jobs().find(one.id);
    if (found == jobs().end()) return std::nullopt;
    return Refusal{"Job(s) active: " + text_of(one) + " has jobs " + joined(found->second, ", ") +
                       (found->second.size() == jobs_named_max ? ", ..." : ""),
                   "wait for their end, or cancel them first"};
  }

  Failure delete_user(const Association& one) {
    if (auto f = check_no_jobs(one)) return f;
    const Association gone = one;
    keep_usage(gone);
    remove(gone.id);
    if (accounts_.of_user(gone.user_name).empty())
      for (Association& led : without_coordinator(accounts_, gone.user_name)) put(std::move(led));
    if (!gone.is_default || !accounts_.default_of(gone.user_name).empty()) return std::nullopt;
    for (const Association* other : accounts_.of_user(gone.user_name)) {
      Association first = *other;
      first.is_default = true;
      put(first);
      break;
    }
    return std::nullopt;
  }

  // Adds the usage of an association that is being removed to the usage of its account.
  void keep_usage(const Association& gone) {
    if (gone.usage.empty()) return;
    Association account = *accounts_.account(gone.account);
    add_usage(account, gone.usage, gone.usage_at, half_life());
    put(account);
  }

  Failure delete_accounts(Settings& where) {
    Names names;
    if (auto f = named_accounts(where, names)) return f;
    say(" Deleting account associations...");
    for (const std::string& name : names) {
      const Association one = *accounts_.account(name);
      if (one.is_root())
        return Refusal{"the root account cannot be deleted", "delete accounts below it"};
      const auto parts = accounts_.children(name);
      for (const Association* part : parts)
        if (part->is_account())
          return Refusal{"account " + part->account + " is below account " + name,
                         "delete it first, or give it another parent"};
      for (const Association* part : parts) {
        const Association user = *part;
        if (auto f = delete_user(user)) return f;
        say("  " + text_of(user));
      }
      const Association emptied = *accounts_.account(name);
      if (!emptied.usage.empty()) {
        Association above = *accounts_.account(emptied.parent);
        add_usage(above, emptied.usage, emptied.usage_at, half_life());
        put(above);
      }
      remove(one.id);
      say("  " + name);
    }
    return std::nullopt;
  }

  // ---- users

  Failure change_coordinators(const AccountingRequest& request) {
    auto changed = with_coordinators(accounts_, request, ruling_.lines);
    if (!changed) return changed.refusal();
    for (Association& one : *changed) put(std::move(one));
    return std::nullopt;
  }

  Failure add_users(Settings& settings) {
    const Names names = take_values(settings, {"name"});
    Names accounts = take_accounts(settings);
    Names partitions = take_values(settings, {"partition", "partitions"});
    Names defaults = take_values(settings, {"defaultaccount"});
    // AdminLevel is ignored: a caller is an administrator by its uid, not by its account.
    take_values(settings, {"adminlevel"});
    if (names.empty()) return Refusal{"no user is named", "add user NAME account=ACCOUNT"};
    if (!defaults.empty()) defaults.back() = lower_case(defaults.back());
    if (accounts.empty()) accounts = defaults;
    if (accounts.empty())
      return Refusal{"no account is named",
                     "write account=ACCOUNT too: the account of the user's jobs"};
    if (partitions.empty()) partitions.emplace_back();
    if (auto f = check_room(names.size() * accounts.size() * partitions.size())) return f;
    say(" Adding User(s)");
    for (const std::string& name : names) {
      if (auto f = check_accounting_name("a user", name)) return f;
      say("  " + name);
      for (const std::string& account : accounts)
        for (const std::string& partition : partitions)
          if (auto f = add_user(name, account, partition, settings)) return f;
      if (!defaults.empty())
        if (auto f = set_default(name, defaults.back())) return f;
    }
    return std::nullopt;
  }

  Failure add_user(const std::string& name, const std::string& account,
                   const std::string& partition, const Settings& set) {
    if (accounts_.account(account) == nullptr) return no_account(account);
    if (!partition.empty() && partition_of(cluster_.config(), partition) == nullptr)
      return Refusal{"there is no partition " + quoted(partition),
                     "`cox show partitions` lists them"};
    if (accounts_.find(account, name, partition) != nullptr)
      return Refusal{"user " + name + " is already in account " + account, "change it with modify"};
    Association one;
    one.id = next_;
    next_.value += 1;
    one.account = account;
    one.user_name = name;
    one.partition = partition;
    one.is_default = accounts_.default_of(name).empty();
    if (auto f = set_all(one, set)) return f;
    put(one);
    if (auto f = check_qos(one)) return f;
    say("  Account = " + account + (partition.empty() ? "" : "  Partition = " + partition));
    return std::nullopt;
  }

  Failure set_default(const std::string& user, const std::string& account) {
    bool found = false;
    std::vector<Association> changed;
    for (const Association* one : accounts_.of_user(user)) {
      const bool is_it = one->account == account;
      found = found || is_it;
      if (one->is_default == is_it) continue;
      changed.push_back(*one);
      changed.back().is_default = is_it;
    }
    if (!found)
      return Refusal{"user " + user + " is not in account " + account,
                     "add user " + user + " account=" + account};
    for (Association& one : changed) put(std::move(one));
    return std::nullopt;
  }

  Failure named_users(Settings& where, std::vector<Association>& found) const {
    Names names = take_values(where, {"name"});
    for (const std::string& more : take_values(where, {"user", "users"})) names.push_back(more);
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
    for (const auto& [id, one] : accounts_.all())
      if (!one.is_account() && fits(names, one.user_name) && fits(accounts, one.account) &&
          fits(partitions, one.partition))
        found.push_back(one);
    if (!found.empty()) return std::nullopt;
    return no_such_user(accounts_, names, accounts, partitions);
  }

  Failure modify_users(Settings& where, Settings set) {
    std::vector<Association> found;
    if (auto f = named_users(where, found)) return f;
    const Names defaults = take_values(set, {"defaultaccount"});
    const auto resets = take_reset(set);
    if (!resets) return resets.refusal();
    std::set<std::string> users;
    say(" Modified user associations...");
    for (const Association& was : found) {
      Association one = *accounts_.at(was.id);
      users.insert(one.user_name);
      if (auto f = set_all(one, set)) return f;
      if (*resets) one = without_usage(std::move(one));
      put(one);
      if (auto f = check_qos(one)) return f;
      say("  " + text_of(one));
    }
    if (!defaults.empty())
      for (const std::string& user : users)
        if (auto f = set_default(user, lower_case(defaults.back()))) return f;
    return std::nullopt;
  }

  Failure delete_users(Settings& where) {
    std::vector<Association> found;
    if (auto f = named_users(where, found)) return f;
    say(" Deleting users...");
    for (const Association& one : found) {
      if (auto f = delete_user(*accounts_.at(one.id))) return f;
      say("  " + text_of(one));
    }
    return std::nullopt;
  }

  const Cluster& cluster_;
  Accounts& accounts_;  // all accounts, with the changes that the request has made so far
  const std::map<std::string, Qos>& qos_;
  AssociationId next_;
  std::optional<std::map<AssociationId, Names>> jobs_;
  AccountingRuling ruling_;
  Names quotas_set_;  // accounts of which the request sets a quota
};

}  // namespace

Result<AccountingRuling> rule_on_associations(const Cluster& cluster, AccountingBooks& books,
                                              const AccountingRequest& request) {
  return Ruler(cluster, books).rule(request);
}

}  // namespace cox
