#include "simulate/trace/accounts.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>

#include "common/base/text.h"
#include "common/cluster/association.h"
#include "simulate/trace/lines.h"

namespace cox::simulate {
namespace {

constexpr std::int64_t shares_max = 1'000'000'000;

bool begins_with_word(std::string_view text, std::string_view word) {
  return text.size() >= word.size() &&
         std::ranges::equal(text.substr(0, word.size()), word,
                            [](unsigned char a, char b) { return std::tolower(a) == b; });
}

const AccountingSetting* setting(const std::vector<AccountingSetting>& settings,
                                 std::string_view name, std::string_view also = "") {
  for (const AccountingSetting& one : settings)
    if (one.name == name || (!also.empty() && one.name == also)) return &one;
  return nullptr;
}

std::vector<std::string> names_in(const AccountingSetting* list) {
  std::vector<std::string> names;
  if (list == nullptr) return names;
  for (const std::string_view name : split(list->value, ','))
    if (!name.empty()) names.emplace_back(name);
  return names;
}

Failure set_shares(Owner& owner, const AccountingSetting& given) {
  owner.of_parent = begins_with_word(given.value, "parent");
  if (owner.of_parent) return std::nullopt;
  const auto shares = whole_number(given.value);
  if (!shares || *shares < 0 || *shares > shares_max)
    return Refusal{"fairshare is " + quoted(given.value), "it must be a whole number, or parent"};
  owner.shares = *shares;
  return std::nullopt;
}

// Sets the settings that matter to scheduling; ignores the others that sacctmgr can set.
Failure set_all(Owner& owner, const std::vector<AccountingSetting>& settings) {
  if (const auto* shares = setting(settings, "fairshare", "shares"))
    if (auto failure = set_shares(owner, *shares)) return failure;
  const auto lists = std::to_array<std::pair<std::string_view, TresList Owner::*>>(
      {{"guarantee", &Owner::guarantee},
       {"deserved", &Owner::deserved},
       {"grptres", &Owner::most}});
  for (const auto& [name, list] : lists) {
    const auto* given = setting(settings, name);
    if (given == nullptr) continue;
    auto tres = parse_tres(given->value);
    if (!tres) return Refusal{std::string(name) + ": " + tres.refusal().fact, tres.refusal().hint};
    for (const TresCount& one : *tres)
      if (one.what == Tres::Licences && list != &Owner::most)
        return Refusal{
            std::string(name) + " can only be of resources of nodes, not of " + tres_name(one),
            "leave it out"};
    owner.*list = std::move(*tres);
  }
  return std::nullopt;
}

Refusal no_account(const std::string& name) {
  return {"there is no account " + quoted(name), "add it in an earlier line"};
}

}  // namespace

Accounts::Accounts() {
  all_.push_back({.name = std::string(root_account), .guarantee = {}, .deserved = {}, .most = {}});
  accounts_.emplace(root_account, 0);
}

Failure Accounts::apply(const AccountingRequest& request) {
  const bool of_user = request.entity == AccountingEntity::User;
  switch (request.verb) {
    case AccountingVerb::Add: return of_user ? add_user(request.where) : add_account(request.where);
    case AccountingVerb::Modify: return of_user ? modify_user(request) : modify(request);
    case AccountingVerb::Delete: break;
  }
  return Refusal{"deleting accounts and users is not simulated", "leave them out from the start"};
}

Failure Accounts::add_account(const Settings& settings) {
  const auto* above = setting(settings, "parent");
  const auto parent = accounts_.find(above == nullptr ? std::string(root_account) : above->value);
  if (parent == accounts_.end()) return no_account(above->value);
  for (const std::string& name : names_in(setting(settings, "name", "account"))) {
    Owner owner;
    owner.name = name;
    owner.parent = parent->second;
    if (auto failure = set_all(owner, settings)) return failure;
    if (!accounts_.emplace(name, static_cast<OwnerAt>(all_.size())).second)
      return Refusal{"account " + quoted(name) + " is added twice", "modify it the second time"};
    all_.push_back(std::move(owner));
  }
  return std::nullopt;
}

OwnerAt Accounts::user_in(OwnerAt account, const std::string& name) {
  const auto [at, is_new] = users_.try_emplace({account, name}, static_cast<OwnerAt>(all_.size()));
  if (!is_new) return at->second;
  Owner user;
  user.name = name;
  user.parent = account;
  user.is_user = true;
  all_.push_back(std::move(user));
  return at->second;
}

Failure Accounts::add_user(const Settings& settings) {
  const auto* home = setting(settings, "defaultaccount");
  auto in = names_in(setting(settings, "account", "accounts"));
  if (in.empty()) in = names_in(home);
  for (const std::string& name : names_in(setting(settings, "name", "user"))) {
    for (const std::string& account : in) {
      const auto found = accounts_.find(account);
      if (found == accounts_.end()) return no_account(account);
      Owner& user = all_[static_cast<std::size_t>(user_in(found->second, name))];
      if (auto failure = set_all(user, settings)) return failure;
      default_accounts_.try_emplace(name, found->second);
      if (home != nullptr && home->value == account) default_accounts_[name] = found->second;
    }
  }
  return std::nullopt;
}

Failure Accounts::modify(const AccountingRequest& request) {
  if (setting(request.set, "parent") != nullptr)
    return Refusal{"moving accounts is not simulated", "add the account below its parent"};
  for (const std::string& name : names_in(setting(request.where, "name", "account"))) {
    const auto found = accounts_.find(name);
    if (found == accounts_.end()) return no_account(name);
    if (auto failure = set_all(all_[static_cast<std::size_t>(found->second)], request.set))
      return failure;
  }
  return std::nullopt;
}

// Modifies the user in the named accounts, or in all of the user's accounts if none is named.
Failure Accounts::modify_user(const AccountingRequest& request) {
  const auto names = names_in(setting(request.where, "name", "user"));
  const auto in = names_in(setting(request.where, "account", "accounts"));
  for (Owner& owner : all_) {
    if (!owner.is_user || std::ranges::find(names, owner.name) == names.end()) continue;
    const std::string& account = all_[static_cast<std::size_t>(owner.parent)].name;
    if (!in.empty() && std::ranges::find(in, account) == in.end()) continue;
    if (auto failure = set_all(owner, request.set)) return failure;
  }
  return std::nullopt;
}

Result<OwnerAt> Accounts::charged(const TraceJob& job) {
  if (!job.account.empty()) {
    const auto account = accounts_.find(job.account);
    if (account != accounts_.end()) return user_in(account->second, job.user);
    return Refusal{"job " + quoted(job.name) + " is of account " + quoted(job.account) +
                       ", which does not exist",
                   "add it to the file of accounts"};
  }
  const auto home = default_accounts_.find(job.user);
  if (home != default_accounts_.end()) return user_in(home->second, job.user);
  return Refusal{"job " + quoted(job.name) + " names no account, and its user " + quoted(job.user) +
                     " has none",
                 "add the user to an account in the file of accounts"};
}

namespace {

// Splits a line of a script into words, up to a word that begins with '#', without "sacctmgr" and
// its options.
Result<std::vector<std::string>> command_in(std::string_view line) {
  auto words = split_words(line);
  if (!words) return words;
  const auto comment = std::ranges::find_if(*words, [](const auto& w) { return w[0] == '#'; });
  words->erase(comment, words->end());
  if (!words->empty() && words->front() == "sacctmgr") words->erase(words->begin());
  while (!words->empty() && words->front().starts_with('-')) words->erase(words->begin());
  return words;
}

bool is_of_accounts(const std::vector<std::string>& words) {
  return words.size() > 2 &&
         (begins_with_word(words[1], "acc") || begins_with_word(words[1], "user"));
}

// A line of `sacctmgr dump`, such as "Account - 'physics':Fairshare=10:GrpTRES='gres/gpu=8'". The
// account or user is below the account of the last "Parent - ..." line.
struct Dumped {
  std::string kind;
  std::vector<AccountingSetting> settings;  // the first setting is the name of the account or user
};

std::optional<Dumped> dumped_in(std::string_view line) {
  for (const std::string_view kind : {"cluster", "parent", "account", "user"}) {
    if (!begins_with_word(line, kind) || !line.substr(kind.size()).starts_with(" - ")) continue;
    Dumped dumped{std::string(kind), {{"name", '=', ""}}};
    bool in_quotes = false;
    bool in_name = false;
    for (const char c : line.substr(kind.size() + 3)) {
      AccountingSetting& last = dumped.settings.back();
      if (c == '\'') {
        in_quotes = !in_quotes;
      } else if (c == ':' && !in_quotes) {
        dumped.settings.push_back({"", '=', ""});
        in_name = true;
      } else if (c == '=' && in_name) {
        in_name = false;
      } else if (in_name) {
        last.name += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
      } else {
        last.value += c;
      }
    }
    return dumped;
  }
  return std::nullopt;
}

Failure apply_dumped(Dumped dumped, std::string& parent, Accounts& accounts) {
  if (dumped.kind == "parent") parent = dumped.settings.front().value;
  const std::string name = dumped.settings.front().value;
  const bool is_root = name == root_account;
  if (dumped.kind == "cluster" || dumped.kind == "parent" || is_root) return std::nullopt;
  const bool is_user = dumped.kind == "user";
  dumped.settings.push_back({is_user ? "account" : "parent", '=', parent});
  return accounts.apply({AccountingVerb::Add,
                         is_user ? AccountingEntity::User : AccountingEntity::Account,
                         std::move(dumped.settings),
                         {}});
}

}  // namespace

Result<Accounts> read_accounts(std::string_view text) {
  Accounts accounts;
  std::string parent(root_account);
  Lines lines(text);
  while (const auto line = lines.next()) {
    Failure failure;
    if (auto dumped = dumped_in(*line)) {
      failure = apply_dumped(std::move(*dumped), parent, accounts);
    } else {
      const auto words = command_in(*line);
      if (!words) return at_line(lines.number(), words.refusal().fact);
      if (!is_of_accounts(*words)) continue;  // ignores lines about a QOS or a cluster
      const auto request = parse_accounting(*words);
      failure = request ? accounts.apply(*request) : Failure(request.refusal());
    }
    if (failure) return Refusal{at_line(lines.number(), failure->fact).fact, failure->hint};
  }
  if (accounts.all().size() == 1)
    return Refusal{"it has no account", "write it like: add account physics fairshare=10"};
  return accounts;
}

Result<std::vector<OwnerAt>> charge(Accounts& accounts, const std::vector<TraceJob>& jobs) {
  std::vector<OwnerAt> owners;
  owners.reserve(jobs.size());
  for (const TraceJob& job : jobs) {
    const auto owner = accounts.charged(job);
    if (!owner) return owner.refusal();
    owners.push_back(*owner);
  }
  return owners;
}

}  // namespace cox::simulate
