#include "client/slurm/records/sacctmgr.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "client/show/account_tree.h"
#include "client/slurm/records/account_json.h"
#include "client/slurm/records/sacctmgr_columns.h"
#include "client/slurm/records/sacctmgr_file.h"
#include "client/slurm/text/command_rows.h"
#include "client/slurm/text/option_words.h"
#include "client/slurm/text/version_text.h"
#include "common/base/text.h"
#include "common/syntax/accounting_request.h"

namespace cox {
namespace {

enum class Listed { Accounts, Users, Associations, Qos, Clusters, Tres, Unknown };

struct ListedWord {
  std::string_view word;
  std::size_t least = 1;  // fewest letters that a user may write
  Listed listed = Listed::Unknown;
};

// What `sacctmgr show` can list. An abbreviation that fits several words means the first of them.
constexpr auto listed_words = std::to_array<ListedWord>({{"associations", 1, Listed::Associations},
                                                         {"accounts", 1, Listed::Accounts},
                                                         {"acct", 4, Listed::Accounts},
                                                         {"users", 1, Listed::Users},
                                                         {"clusters", 1, Listed::Clusters},
                                                         {"tres", 4, Listed::Tres},
                                                         {"qos", 3, Listed::Qos}});

bool shows(const SacctmgrOptions& options) {
  const std::string verb = options.words.empty() ? "" : lower_case(options.words.front());
  return !verb.empty() &&
         (std::string_view("show").starts_with(verb) || std::string_view("list").starts_with(verb));
}

bool shows_version(const SacctmgrOptions& options) {
  return options.words.size() == 1 && lower_case(options.words.front()) == "version";
}

Listed listed_in(const SacctmgrOptions& options) {
  const std::string what = options.words.size() < 2 ? "" : lower_case(options.words[1]);
  if (what.empty()) return Listed::Unknown;
  for (const ListedWord& each : listed_words)
    if (each.word.starts_with(what) && what.size() >= each.least) return each.listed;
  return Listed::Unknown;
}

// A parsed `sacctmgr show`: which rows and columns it lists.
struct Wanted {
  Listed listed = Listed::Unknown;
  bool with_associations = false;
  bool with_coordinators = false;
  bool as_tree = false;
  std::string format;
  std::map<std::string, std::set<std::string>> only;  // "user" → names
  std::string unknown;  // a condition for which there is no filter; or empty
};

std::string key_of(const Wanted& wanted, const std::string& name, bool bare) {
  if (wanted.listed == Listed::Tres) {
    if (bare) return "type";
    return name == "names" || name == "ids" ? name.substr(0, name.size() - 1) : name;
  }
  const auto is = [&](std::string_view whole, std::size_t least) {
    return name.size() >= least && whole.starts_with(name);
  };
  const bool own = bare || is("names", 1);
  if (own && wanted.listed == Listed::Qos) return "qos";
  if (own && wanted.listed == Listed::Clusters) return "cluster";
  if (own) return wanted.listed == Listed::Users ? "user" : "account";
  if (is("users", 1)) return "user";
  if (is("accounts", 2) || is("acct", 4)) return "account";
  if (is("clusters", 1)) return "cluster";
  if (is("partitions", 4)) return "partition";
  return is("qoslevel", 1) ? "qos" : name;
}

// Returns the names of the conditions (NAME=VALUE) that filter the listed rows. Rows of accounts
// without associations have no user or partition to filter by.
std::vector<std::string> conditions_of(const Wanted& wanted) {
  switch (wanted.listed) {
    case Listed::Qos: return {"qos"};
    case Listed::Clusters: return {"cluster"};
    case Listed::Tres: return {"type", "name", "id"};
    case Listed::Accounts:
      if (!wanted.with_associations) return {"account", "cluster", "qos"};
      break;
    case Listed::Users:
    case Listed::Associations:
    case Listed::Unknown: break;
  }
  return {"account", "user", "cluster", "partition", "qos"};
}

// Returns the value in the form in which a condition compares it. Users and partitions keep their
// case; as in Slurm, all other names are in lower case.
std::string compared(const std::string& key, std::string_view value) {
  return key == "user" || key == "partition" ? std::string(value) : lower_case(value);
}

Wanted wanted_of(const SacctmgrOptions& options) {
  Wanted wanted{listed_in(options), options.with_associations, false, false, "", {}, ""};
  for (std::size_t i = 2; i < options.words.size(); ++i) {
    const std::string& word = options.words[i];
    const std::size_t equals = word.find('=');
    const std::string name = lower_case(word.substr(0, equals));
    const auto is = [&](std::string_view whole, std::size_t least) {
      return name.size() >= least && whole.starts_with(name);
    };
    if (name == "where") continue;
    if (is("withassocs", 5)) {
      wanted.with_associations = true;
    } else if (is("withcoordinators", 5)) {
      wanted.with_coordinators = true;
    } else if (is("tree", 4)) {
      wanted.as_tree = true;
    } else if (equals != std::string::npos && is("format", 1)) {
      wanted.format = without_quotes(word.substr(equals + 1));
    } else {
      const bool bare = equals == std::string::npos;
      // A bare word is the name of what is listed, and an association has no name.
      if (bare && wanted.listed == Listed::Associations) wanted.unknown = word;
      const std::string key = key_of(wanted, name, bare);
      const std::string values = without_quotes(bare ? word : word.substr(equals + 1));
      for (const std::string_view value : split(values, ','))
        wanted.only[key].insert(compared(key, value));
    }
  }
  const std::vector<std::string> conditions = conditions_of(wanted);
  for (const auto& [key, values] : wanted.only)
    if (wanted.unknown.empty() && std::ranges::find(conditions, key) == conditions.end())
      wanted.unknown = key;
  return wanted;
}

bool is_wanted(const Wanted& wanted, const std::string& key, const std::string& is) {
  const auto only = wanted.only.find(key);
  return only == wanted.only.end() || only->second.contains(compared(key, is));
}

// Returns whether an association matches the condition qos=NAME. `named` has the QOS of the
// association or, if it has none, of the nearest account above it that has some. If no account has,
// it may use every QOS but matches no name.
bool has_wanted_qos(const Wanted& wanted, const std::vector<std::string>& named) {
  if (named.empty()) return is_wanted(wanted, "qos", "");
  return std::ranges::any_of(
      named, [&](const std::string& name) { return is_wanted(wanted, "qos", name); });
}

std::string plain_format(const Wanted& wanted) {
  switch (wanted.listed) {
    case Listed::Qos:
      return "Name,Priority,GraceTime,PreemptMode,PreemptExemptTime,GrpTRES,GrpTRESMins,GrpJobs,"
             "GrpSubmit,GrpWall,MaxTRES,MaxWall,MaxTRESPU,MaxJobsPU,MaxSubmitPU,MinTRES";
    case Listed::Accounts:
      if (!wanted.with_associations) return "Account,Description,Organization";
      break;
    case Listed::Users:
      if (!wanted.with_associations) return "User,DefaultAccount,AdminLevel";
      break;
    case Listed::Clusters:
      return "Cluster,Share,GrpJobs,GrpTRES,GrpSubmit,MaxJobs,MaxTRES,MaxSubmit,MaxWall,QOS,"
             "DefaultQOS";
    case Listed::Tres: return "Type,Name%15,ID";
    case Listed::Associations:
    case Listed::Unknown: break;
  }
  return "Cluster,Account,User,Partition,Share,GrpJobs,GrpTRES,GrpSubmit,GrpWall,GrpTRESMins,"
         "MaxJobs,MaxTRES,MaxSubmit,MaxWall,MaxTRESMins,QOS,DefaultQOS";
}

std::string default_format(const Wanted& wanted) {
  return plain_format(wanted) + (wanted.with_coordinators ? ",Coordinators" : "");
}

bool is_row(const Wanted& wanted, const std::string& cluster, const Association& one) {
  if (!is_wanted(wanted, "account", one.account) || !is_wanted(wanted, "user", one.user_name) ||
      !is_wanted(wanted, "partition", one.partition) || !is_wanted(wanted, "cluster", cluster))
    return false;
  if (wanted.listed == Listed::Users) return !one.is_account();
  if (wanted.listed == Listed::Clusters) return one.is_root();
  const bool accounts_alone = wanted.listed == Listed::Accounts && !wanted.with_associations;
  return !accounts_alone || one.is_account();
}

std::map<std::string, std::string> coordinated_by_user(const AssociationList& list) {
  std::map<std::string, std::string> accounts;
  for (const AssociationView& view : list.associations)
    for (const std::string& user : view.association.coordinators) {
      std::string& names = accounts[user];
      names += (names.empty() ? "" : ",") + view.association.account;
    }
  return accounts;
}

AccountingRows rows_of(const AssociationList& list, const Wanted& wanted) {
  std::map<std::string, std::string> defaults;
  for (const AssociationView& view : list.associations)
    if (view.association.is_default)
      defaults[view.association.user_name] = view.association.account;
  const auto coordinated = coordinated_by_user(list);
  const bool once = wanted.listed == Listed::Users && !wanted.with_associations;
  AccountingRows rows;
  std::set<std::string> users;
  // by account; an account comes before its users
  std::map<std::string, std::vector<std::string>> named_qos;
  std::map<std::string, AssociationId> ids;
  for (const AccountTreeEntry& entry : accounts_in_tree_order(list)) {
    const Association& one = entry.view->association;
    const auto& above = named_qos[one.is_account() ? one.parent : one.account];
    const auto& named = one.qos.empty() ? above : one.qos;
    const AssociationId parent_id = ids[one.is_account() ? one.parent : one.account];
    if (one.is_account()) {
      named_qos[one.account] = named;
      ids[one.account] = one.id;
    }
    if (!has_wanted_qos(wanted, named) || !is_row(wanted, list.cluster, one)) continue;
    if (once && !users.insert(one.user_name).second) continue;
    AccountingRow row{.cluster = list.cluster,
                      .association = &one,
                      .default_account = defaults[one.user_name],
                      .coordinators = joined(one.coordinators, ","),
                      .indent = wanted.as_tree ? entry.depth : 0,
                      .parent_id = parent_id};
    if (const auto of_user = coordinated.find(one.user_name); of_user != coordinated.end())
      row.coordinators = of_user->second;
    rows.push_back(std::move(row));
  }
  return rows;
}

constexpr auto resources = std::to_array<CountedResource>(
    {{"cpu", "", 1}, {"mem", "", 2}, {"node", "", 4}, {"billing", "", 5}, {"gres", "gpu", 1001}});

AccountingRows rows_of(const ClusterView& cluster, const Wanted& wanted) {
  AccountingRows rows;
  const auto is = [&](const char* key, std::string_view value) {
    return is_wanted(wanted, key, std::string(value));
  };
  if (wanted.listed == Listed::Tres) {
    for (const CountedResource& one : resources)
      if (is("type", one.type) && is("name", one.name) && is("id", std::to_string(one.id)))
        rows.push_back({.cluster = cluster.name, .resource = &one});
    return rows;
  }
  for (const Qos& qos : cluster.tiers)
    if (is("qos", qos.name)) rows.push_back({.cluster = cluster.name, .qos = &qos});
  return rows;
}

// Aligns the column to the left and gives it the width (20) that Slurm's `tree` listing has.
void set_to_the_left(std::vector<AccountingColumn>& columns, std::string_view name) {
  constexpr int tree_width = -20;
  for (AccountingColumn& column : columns)
    if (column.name == name && column.width > 0) column.width = tree_width;
}

Shown sacctmgr_error(const std::string& fact, const std::string& hint) {
  return {"", " " + fact + "\n" + (hint.empty() ? "" : " " + hint + "\n"), exit_refused};
}

Shown unknown_condition(const Wanted& wanted) {
  std::string hint;
  for (const std::string& key : conditions_of(wanted))
    hint +=
        (hint.empty() ? "Valid conditions: " : ", ") + key + (key == "id" ? "=NUMBER" : "=NAME");
  if (wanted.listed == Listed::Accounts && !wanted.with_associations)
    hint += "; with withassoc user=NAME and partition=NAME too";
  return sacctmgr_error("Unknown condition: " + printable(wanted.unknown), hint);
}

// Returns the rows as a JSON document. REQUIRES: the rows point into `list`.
std::string json_of(const AssociationList& list, const AccountingRows& rows, Wanted wanted,
                    const Screen& screen) {
  // In JSON, each user and account is listed with all associations, as with withassoc.
  wanted.with_associations = true;
  if (wanted.listed == Listed::Accounts)
    return json_of_accounts(rows, rows_of(list, wanted), list, screen);
  if (wanted.listed == Listed::Users)
    return json_of_users(rows, rows_of(list, wanted), list.cluster, screen);
  if (wanted.listed == Listed::Clusters) return json_of_clusters(rows, list.cluster, screen);
  return json_of_associations(rows, list.cluster, screen);
}

std::string json_of(const ClusterView& cluster, const AccountingRows& rows, const Wanted& wanted,
                    const Screen& screen) {
  return wanted.listed == Listed::Tres ? json_of_tres(rows, cluster.name, screen)
                                       : json_of_qos(rows, cluster.name, screen);
}

std::string sacctmgr_help() {
  std::string listed;
  for (const ListedWord& each : listed_words)
    listed += (listed.empty() ? "" : "|") + std::string(each.word);
  return "COMMANDS, which may be abbreviated\n"
         "  add|modify|delete account|user|qos [where] NAMES [NAME=VALUE...] [set NAME=VALUE...]\n"
         "  add|delete coordinator account=ACCOUNTS names=USERS\n"
         "  dump [CLUSTER] [file=FILE]\n"
         "  load FILE [clean]\n"
         "  show|list " +
         listed +
         " [where] [NAME=VALUE...] [format=COLUMNS]\n"
         "  version\n"
         "  help\n";
}

// clang-format off
constexpr OptionRow<SacctmgrOptions> sacctmgr_rows[] = {
  config_row<SacctmgrOptions>,
  long_help_row<SacctmgrOptions>,
  {"WORD", 0, Takes::Operands, "TEXT", "add, modify, delete or show; account, user, qos or "
   "association; names and NAME=VALUE pairs", "", into<&SacctmgrOptions::words>,
   OptionForm::needed},
  {"immediate", 'i', Takes::Nothing, "", "do it without confirmation", "",
   into<&SacctmgrOptions::immediate>},
  json_row<SacctmgrOptions>("show: as Slurm's JSON, v0.0.40"),
  yaml_row<SacctmgrOptions>,
  no_header_row<SacctmgrOptions>,
  parsable_row<SacctmgrOptions>,
  parsable2_row<SacctmgrOptions>,
  {"associations", 's', Takes::Nothing, "", "show: each association of users and accounts", "",
   into<&SacctmgrOptions::with_associations>},
  {"readonly", 'r', Takes::Nothing, "", "refuse all changes", "",
   into<&SacctmgrOptions::read_only>},
  {"quiet", 'Q', Takes::Nothing, "", "print only errors", "", into<&SacctmgrOptions::quiet>},
  {"verbose", 'v', Takes::Nothing, "", "accepted: messages are always complete", "",
   ignore_option},
  {"oneliner", 'o', Takes::Nothing, "", "accepted: each entry is on one line", "", ignore_option},
  usage_row<SacctmgrOptions>,
};
// clang-format on

}  // namespace

const CommandLineOf<SacctmgrOptions> sacctmgr_line = [] {
  auto line = command_line_from<sacctmgr_rows>();
  line.commands = sacctmgr_help;
  line.help_word = true;
  return line;
}();

Failure SacctmgrOptions::resolve(const CallerContext&) {
  const bool changes = !shows(*this) && !shows_version(*this) && !parse_dump(words);
  if (!read_only || !changes) return std::nullopt;
  return Refusal{"Can't run this command in readonly mode.",
                 "leave -r out to change accounts; with it sacctmgr only shows and dumps them"};
}

Question ask_sacctmgr(const SacctmgrOptions& options) {
  if (shows_version(options)) return ShowCluster{};
  if (!shows(options)) return Administer{options.words, false};
  if (listed_in(options) == Listed::Qos || listed_in(options) == Listed::Tres) return ShowCluster{};
  return ListAssociations{};
}

std::optional<Shown> show_nothing_done(const Refusal& why) {
  // controller/accounting/accounting_words.h
  for (const std::string_view words :
       {"Nothing new added", "Nothing modified", "Nothing deleted", "Nothing removed"}) {
    if (!why.fact.starts_with(words)) continue;
    const std::size_t behind =
        std::min(why.fact.size(), words.size() + std::string_view(": ").size());
    Shown shown{" " + std::string(words) + (words.ends_with("added") ? "." : "") + "\n", "",
                exit_refused};
    for (const std::string& more : {why.fact.substr(behind), why.hint})
      if (!more.empty()) shown.err += slurm_error("sacctmgr", more).err;
    return shown;
  }
  return std::nullopt;
}

Shown show_sacctmgr(const Answer& answer, const SacctmgrOptions& options, const Screen& screen) {
  Shown shown;
  if (shows_version(options)) return {slurm_version_text(), "", exit_ok};
  if (const auto* done = std::get_if<Administered>(&answer)) {
    for (const std::string& line : done->lines)
      if (!options.quiet) shown.out += printable(line) + "\n";
    return shown;
  }
  const Wanted wanted = wanted_of(options);
  if (wanted.listed == Listed::Unknown)
    return sacctmgr_error(
        "No valid entity in list command",
        "Input line must include \"Account\", \"Association\", \"Cluster\", \"QOS\", "
        "\"TRES\", or \"User\"");
  if (!wanted.unknown.empty()) return unknown_condition(wanted);
  auto columns = accounting_columns(wanted.format.empty() ? default_format(wanted) : wanted.format);
  if (!columns) return sacctmgr_error(columns.refusal().fact, columns.refusal().hint);
  if (wanted.as_tree) set_to_the_left(*columns, "Account");
  const AccountingLayout layout = options.parsable2  ? AccountingLayout::Parsable2
                                  : options.parsable ? AccountingLayout::Parsable
                                                     : AccountingLayout::Columns;
  const auto show = [&](const auto& list) {
    const AccountingRows rows = rows_of(list, wanted);
    shown.out = options.json ? json_of(list, rows, wanted, screen)
                             : accounting_table(*columns, rows, layout, !options.no_header);
    return shown;
  };
  if (const auto* list = std::get_if<AssociationList>(&answer)) return show(*list);
  if (const auto* cluster = std::get_if<ClusterView>(&answer)) return show(*cluster);
  return sacctmgr_error("Unexpected message", "");
}

}  // namespace cox
