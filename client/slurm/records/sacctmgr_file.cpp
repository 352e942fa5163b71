#include "client/slurm/records/sacctmgr_file.h"

#include <algorithm>
#include <map>
#include <set>

#include "client/setup/slurm_import_parts.h"
#include "client/show/account_tree.h"
#include "common/base/text.h"
#include "common/base/time_format.h"
#include "common/syntax/accounting_request.h"

namespace cox {
namespace {

using Words = std::vector<std::string>;

bool is_verb(const Words& words, std::string_view verb) {
  const std::string word = words.empty() ? "" : lower_case(words.front());
  return word.size() >= 2 && verb.starts_with(word);
}

// Puts a text into single quotes, as for a shell. A single quote inside becomes '"'"'.
std::string in_quotes(const std::string& text) {
  std::string quoted_text = "'";
  for (const char c : text) quoted_text += c == '\'' ? std::string("'\"'\"'") : std::string(1, c);
  return quoted_text + "'";
}

// A line of a dump: the kind of an entity (Cluster, Account, User), its name and its settings.
class Line {
 public:
  Line(std::string_view kind, const std::string& name)
      : text_(std::string(kind) + " - " + in_quotes(name)) {}

  void add(std::string_view what, const std::string& value) {
    if (!value.empty()) text_ += ":" + std::string(what) + "=" + value;
  }
  void add_quoted(std::string_view what, const std::string& value) {
    if (!value.empty()) add(what, in_quotes(value));
  }
  void add(std::string_view what, const std::optional<std::int64_t>& count) {
    if (count) add(what, std::to_string(*count));
  }
  void add_time(std::string_view what, const std::optional<std::int64_t>& seconds) {
    if (seconds) add_quoted(what, format_time_limit(*seconds));
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

void add_settings(Line& line, const Association& one) {
  const AssociationLimits& limits = one.limits;
  line.add("Fairshare", one.shares_of_parent ? "parent" : std::to_string(one.shares));
  line.add_quoted("GrpTRES", format_tres(limits.grp_tres));
  line.add("GrpJobs", limits.grp_jobs);
  line.add("GrpSubmitJobs", limits.grp_submit_jobs);
  line.add_quoted("GrpTRESMins", format_tres(limits.grp_tres_mins));
  line.add_time("GrpWall", limits.grp_wall_s);
  line.add_quoted("MaxTRESPerJob", format_tres(limits.max_tres_per_job));
  line.add_quoted("MaxTRESMinsPerJob", format_tres(limits.max_tres_mins_per_job));
  line.add("MaxJobs", limits.max_jobs);
  line.add("MaxSubmitJobs", limits.max_submit_jobs);
  line.add_time("MaxWallDurationPerJob", limits.max_wall_s);
  line.add_quoted("Guarantee", format_tres(limits.guarantee));
  line.add_quoted("Deserved", format_tres(limits.deserved));
  line.add_quoted("QOS", joined(one.qos, ","));
  line.add_quoted("DefaultQOS", one.default_qos);
}

// For each user, settings that do not belong to a single association but are written into the
// user's lines of the dump.
struct UserDefaults {
  std::map<std::string, std::string> default_account;
  std::map<std::string, std::string> coordinated;  // accounts, with commas
};

UserDefaults user_defaults(const AssociationList& list) {
  UserDefaults all;
  for (const AssociationView& view : list.associations) {
    const Association& one = view.association;
    if (one.is_default) all.default_account[one.user_name] = one.account;
    for (const std::string& user : one.coordinators) {
      std::string& accounts = all.coordinated[user];
      accounts += (accounts.empty() ? "" : ",") + one.account;
    }
  }
  return all;
}

std::string line_of(const Association& one, UserDefaults& users) {
  Line line(one.is_account() ? "Account" : "User", one.is_account() ? one.account : one.user_name);
  if (one.is_account()) {
    line.add_quoted("Description", one.description);
    line.add_quoted("Organization", one.organization);
  } else {
    line.add_quoted("Partition", one.partition);
    line.add_quoted("DefaultAccount", users.default_account[one.user_name]);
    line.add_quoted("Coordinator", users.coordinated[one.user_name]);
  }
  add_settings(line, one);
  return line.text() + "\n";
}

constexpr const char* dump_head =
    "# To edit this file start with a cluster line for the new cluster\n"
    "# Cluster - 'cluster_name':MaxTRESPerJob=node=50\n"
    "# Followed by Accounts you want in this fashion (root is created by default)...\n"
    "# Parent - 'root'\n"
    "# Account - 'cs':MaxTRESPerJob=node=5:MaxJobs=4:FairShare=399:Description='Computer Science'\n"
    "# Any of the options after a ':' can be left out and they can be in any order.\n"
    "# To add users to an account add a line like this after a Parent - 'line'\n"
    "# User - 'lipari':MaxTRESPerJob=node=2:MaxJobs=3\n";

// ---- load

// Returns whether the word is the setting "NAME=...", in upper or lower case: a dump has
// Partition=, a request partition=.
bool is_setting(const std::string& word, std::string_view name) {
  return word.find('=') == name.size() && lower_case(word.substr(0, name.size())) == name;
}

std::string value_of(const Words& request, std::string_view name) {
  for (const std::string& word : request)
    if (is_setting(word, name)) return word.substr(name.size() + 1);
  return "";
}

class Loading {
 public:
  Loading(const LoadRequest& wish, const AssociationList& now) {
    for (const AssociationView& view : now.associations) {
      const Association& one = view.association;
      if (wish.clean && !one.is_root()) continue;
      there_.insert({one.account, one.user_name, one.partition});
    }
    if (wish.clean) delete_all(now);
  }

  void add(const std::string& line) {
    const auto words = split_words(line);
    if (!words || words->size() < 3) return;
    const bool adds = words->front() == "add";
    if (adds && (*words)[1] == "account") return add_account(*words);
    if (adds && (*words)[1] == "user") return add_user(*words);
    plan.requests.push_back(*words);
  }

  LoadPlan plan;

 private:
  // Adds requests that delete all accounts, child accounts before their parents. Deleting an
  // account also deletes its users.
  void delete_all(const AssociationList& now) {
    const auto tree = accounts_in_tree_order(now);
    for (auto at = tree.rbegin(); at != tree.rend(); ++at) {
      const Association& one = at->view->association;
      if (one.is_root()) continue;
      if (one.is_account()) plan.requests.push_back({"delete", "account", one.account});
      if (!one.is_account() && one.account == root_account)
        plan.requests.push_back(
            {"delete", "user", "where", "name=" + one.user_name, "account=" + one.account});
    }
  }

  bool is_there(const std::string& account, const std::string& user,
                const std::string& partition) const {
    return there_.contains({lower_case(account), user, partition});
  }

  void add_account(const Words& request) {
    if (!is_there(request[2], "", "")) return plan.requests.push_back(request);
    Words changed{"modify", "account", "where", "name=" + request[2], "set"};
    if (value_of(request, "parent").empty()) changed.emplace_back("parent=root");
    changed.insert(changed.end(), request.begin() + 3, request.end());
    plan.requests.push_back(changed);
  }

  void add_user(const Words& request) {
    const std::string account = value_of(request, "account");
    const std::string partition = value_of(request, "partition");
    if (!is_there(account, request[2], partition)) return plan.requests.push_back(request);
    const auto is_of_one_partition = [&](const auto& key) {
      return std::get<0>(key) == lower_case(account) && std::get<1>(key) == request[2] &&
             !std::get<2>(key).empty();
    };
    if (partition.empty() && std::ranges::any_of(there_, is_of_one_partition)) {
      plan.notes.push_back("not loaded: user " + request[2] + " of account " + account +
                           ": the change would also affect its associations with partitions");
      return;
    }
    Words changed{"modify", "user", "where", "name=" + request[2], "account=" + account};
    if (!partition.empty()) changed.push_back("partition=" + partition);
    changed.emplace_back("set");
    const std::size_t names = changed.size();
    for (auto word = request.begin() + 3; word != request.end(); ++word)
      if (!is_setting(*word, "account") && !is_setting(*word, "partition"))
        changed.push_back(*word);
    if (changed.size() > names) plan.requests.push_back(changed);
  }

  std::set<std::tuple<std::string, std::string, std::string>> there_;  // account, user, partition
};

}  // namespace

std::optional<Result<DumpRequest>> parse_dump(const Words& words) {
  if (!is_verb(words, "dump")) return std::nullopt;
  DumpRequest wish;
  for (std::size_t i = 1; i < words.size(); ++i) {
    const std::size_t equals = words[i].find('=');
    const std::string name = lower_case(words[i].substr(0, equals));
    if (equals == std::string::npos)
      wish.cluster = words[i];
    else if (std::string_view("cluster").starts_with(name))
      wish.cluster = words[i].substr(equals + 1);
    else if (std::string_view("file").starts_with(name))
      wish.file = words[i].substr(equals + 1);
    else
      return Refusal{"Unknown option: " + printable(words[i]), "dump [CLUSTER] [file=FILE]"};
  }
  return wish;
}

Failure check_dump(const DumpRequest& wish, const AssociationList& list) {
  if (wish.cluster.empty() || lower_case(wish.cluster) == lower_case(list.cluster))
    return std::nullopt;
  return Refusal{"Cluster " + printable(wish.cluster) + " returned nothing.",
                 "this is cluster " + list.cluster + ": write dump " + list.cluster + " file=FILE"};
}

std::string dump_text(const AssociationList& list) {
  UserDefaults users = user_defaults(list);
  std::map<std::string, std::string> below;  // by account
  std::vector<std::string> accounts;
  std::string text = dump_head;
  for (const AccountTreeEntry& entry : accounts_in_tree_order(list)) {
    const Association& one = entry.view->association;
    if (one.is_account()) accounts.push_back(one.account);
    if (one.is_root()) {
      Line line("Cluster", list.cluster);
      add_settings(line, one);
      text += line.text() + "\n";
    } else {
      below[one.is_account() ? one.parent : one.account] += line_of(one, users);
    }
  }
  for (const std::string& account : accounts)
    if (!below[account].empty()) text += "Parent - " + in_quotes(account) + "\n" + below[account];
  return text;
}

std::optional<Result<LoadRequest>> parse_load(const Words& words) {
  if (!is_verb(words, "load")) return std::nullopt;
  LoadRequest wish;
  for (std::size_t i = 1; i < words.size(); ++i) {
    const std::size_t equals = words[i].find('=');
    const std::string name = lower_case(words[i].substr(0, equals));
    if (equals == std::string::npos && name == "clean")
      wish.clean = true;
    else if (equals == std::string::npos || std::string_view("file").starts_with(name))
      wish.file = equals == std::string::npos ? words[i] : words[i].substr(equals + 1);
    else if (!std::string_view("cluster").starts_with(name))
      return Refusal{"Unknown option: " + printable(words[i]), "load FILE [clean]"};
  }
  if (wish.file.empty()) return Refusal{"No filename given", "load FILE [clean]"};
  return wish;
}

Result<LoadPlan> load_plan(const LoadRequest& wish, const std::string& text,
                           const AssociationList& now) {
  ImportDraft draft;
  if (auto f = import_accounts({wish.file, text}, draft)) return *f;
  Loading loading(wish, now);
  for (const std::string& line : draft.accounting) loading.add(line);
  for (const std::string& line : draft.coordinators) loading.add(line);
  loading.plan.notes.insert(loading.plan.notes.begin(), draft.notes.begin(), draft.notes.end());
  if (!draft.tiers.empty())
    return Refusal{"the file changes QOS", "change them with sacctmgr modify qos"};
  return std::move(loading.plan);
}

}  // namespace cox
