#include <array>
#include <map>
#include <set>

#include "client/account_tree.h"
#include "client/slurm/account_json.h"
#include "client/slurm/answers.h"
#include "client/slurm/sacctmgr_columns.h"
#include "common/text.h"

namespace cox {
namespace {

enum class Listed { Accounts, Users, Associations, Qos, Clusters, Tres, Unknown };

bool shows(const Options& options) {
  const std::string verb = options.words.empty() ? "" : lower_case(options.words.front());
  return !verb.empty() &&
         (std::string_view("show").starts_with(verb) || std::string_view("list").starts_with(verb));
}

bool tells_version(const Options& options) {
  return options.words.size() == 1 && lower_case(options.words.front()) == "version";
}

Listed listed_in(const Options& options) {
  const std::string what = options.words.size() < 2 ? "" : lower_case(options.words[1]);
  if (what.empty()) return Listed::Unknown;
  if (std::string_view("associations").starts_with(what)) return Listed::Associations;
  if (std::string_view("accounts").starts_with(what) || what == "acct") return Listed::Accounts;
  if (std::string_view("users").starts_with(what)) return Listed::Users;
  if (std::string_view("clusters").starts_with(what)) return Listed::Clusters;
  if (what == "tres") return Listed::Tres;
  return what == "qos" ? Listed::Qos : Listed::Unknown;
}

// What `show` says of which rows and columns.
struct Wanted {
  Listed listed = Listed::Unknown;
  bool with_associations = false;
  bool as_tree = false;
  std::string format;
  std::map<std::string, std::set<std::string>> only;  // "user" → names
  std::string unknown;                                // a word that says nothing
};

std::string key_of(const Wanted& wanted, const std::string& name) {
  const bool own = name == "name" || name == "names";
  if (own && wanted.listed == Listed::Qos) return "qos";
  if (own && wanted.listed == Listed::Clusters) return "cluster";
  if (own) return wanted.listed == Listed::Users ? "user" : "account";
  if (name == "users") return "user";
  if (name == "accounts" || name == "acct") return "account";
  if (name == "clusters") return "cluster";
  if (name == "partitions") return "partition";
  return name;
}

Wanted wanted_of(const Options& options) {
  Wanted wanted{listed_in(options), options.with_associations, false, "", {}, ""};
  for (std::size_t i = 2; i < options.words.size(); ++i) {
    const std::string& word = options.words[i];
    const std::size_t equals = word.find('=');
    const std::string name = lower_case(word.substr(0, equals));
    if (name == "where") continue;
    if (name == "withassoc" || name == "withassocs") {
      wanted.with_associations = true;
    } else if (name == "tree") {
      wanted.as_tree = true;
    } else if (name == "format") {
      wanted.format = word.substr(equals + 1);
    } else {
      const bool bare = equals == std::string::npos;
      // An association has no name of its own.
      if (bare && wanted.listed == Listed::Associations) wanted.unknown = word;
      const std::string key = key_of(wanted, bare ? "name" : name);
      const std::string values = bare ? word : word.substr(equals + 1);
      for (const std::string_view value : split(values, ','))
        wanted.only[key].emplace(key == "account" ? lower_case(value) : std::string(value));
    }
  }
  for (const auto& [key, values] : wanted.only)
    if (key != "user" && key != "account" && key != "cluster" && key != "partition" && key != "qos")
      wanted.unknown = key;
  return wanted;
}

bool is_wanted(const Wanted& wanted, const std::string& key, const std::string& is) {
  const auto only = wanted.only.find(key);
  return only == wanted.only.end() || only->second.contains(is);
}

std::string default_format(const Wanted& wanted) {
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
    case Listed::Associations:
    case Listed::Tres:
    case Listed::Unknown: break;
  }
  return "Cluster,Account,User,Partition,Share,GrpJobs,GrpTRES,GrpSubmit,GrpWall,GrpTRESMins,"
         "MaxJobs,MaxTRES,MaxSubmit,MaxWall,MaxTRESMins,QOS,DefaultQOS";
}

bool is_row(const Wanted& wanted, const Association& one) {
  if (!is_wanted(wanted, "account", one.account) || !is_wanted(wanted, "user", one.user_name) ||
      !is_wanted(wanted, "partition", one.partition))
    return false;
  if (wanted.listed == Listed::Users) return !one.is_account();
  if (wanted.listed == Listed::Clusters) return one.is_root();
  const bool accounts_alone = wanted.listed == Listed::Accounts && !wanted.with_associations;
  return !accounts_alone || one.is_account();
}

std::vector<AccountingRow> rows_of(const AssociationList& list, const Wanted& wanted) {
  std::map<std::string, std::string> defaults;
  for (const AssociationView& view : list.associations)
    if (view.association.is_default)
      defaults[view.association.user_name] = view.association.account;
  const bool once = wanted.listed == Listed::Users && !wanted.with_associations;
  std::vector<AccountingRow> rows;
  std::set<std::string> users;
  for (const InTree& in_tree : tree_of(list)) {
    const Association& one = in_tree.view->association;
    if (!is_row(wanted, one) || (once && !users.insert(one.user_name).second)) continue;
    rows.push_back(
        {list.cluster, &one, defaults[one.user_name], nullptr, wanted.as_tree ? in_tree.depth : 0});
  }
  return rows;
}

// As wide as Slurm makes it for its trees.
void set_to_the_left(std::vector<AccountingColumn>& columns, std::string_view name) {
  constexpr int tree_width = -20;
  for (AccountingColumn& column : columns)
    if (column.name == name && column.width > 0) column.width = tree_width;
}

Shown wrong(const std::string& fact, const std::string& hint) {
  return {"", " " + fact + "\n" + (hint.empty() ? "" : " " + hint + "\n"), exit_refused};
}

// Those that limits count, by Slurm's numbers.
std::string tres_table(const Options& options) {
  struct Row {
    const char *type, *name, *id;
  };
  constexpr auto rows = std::to_array<Row>({{"Type", "Name", "ID"},
                                            {"cpu", "", "1"},
                                            {"mem", "", "2"},
                                            {"node", "", "4"},
                                            {"billing", "", "5"},
                                            {"gres", "gpu", "1001"}});
  const bool plain = !options.parsable && !options.parsable2;
  const auto right = [](std::string text, std::size_t width) {
    text.insert(0, text.size() < width ? width - text.size() : 0, ' ');
    return text + " ";
  };
  std::string out;
  for (std::size_t i = options.no_header ? 1 : 0; i < rows.size(); ++i) {
    const auto& [type, name, id] = rows[i];
    const std::string line = std::string(type) + "|" + name + "|" + id;
    out += plain ? right(type, 8) + right(name, 15) + right(id, 6)
                 : line + (options.parsable ? "|" : "");
    out += "\n";
    if (plain && i == 0) out += "-------- --------------- ------ \n";
  }
  return out;
}

std::string json_of(const std::vector<AccountingRow>& rows, const Wanted& wanted,
                    const std::string& cluster, const Screen& screen) {
  Associations all;
  std::vector<const Qos*> tiers;
  for (const AccountingRow& row : rows) {
    if (row.association != nullptr) all.push_back(row.association);
    if (row.qos != nullptr) tiers.push_back(row.qos);
  }
  switch (wanted.listed) {
    case Listed::Qos: return json_of_qos(tiers, cluster, screen);
    case Listed::Accounts: return json_of_accounts(all, cluster, screen);
    case Listed::Users: return json_of_users(all, cluster, screen);
    default: return json_of_associations(all, cluster, screen);
  }
}

}  // namespace

Question ask_sacctmgr(const Options& options) {
  if (tells_version(options)) return ShowCluster{};
  if (!shows(options)) return Administer{options.words, false};
  if (listed_in(options) == Listed::Qos || listed_in(options) == Listed::Tres) return ShowCluster{};
  return ListAssociations{};
}

Shown show_sacctmgr(const Answer& answer, const Options& options, const Screen& screen) {
  Shown shown;
  if (tells_version(options)) return {slurm_version_text(), "", exit_ok};
  if (const auto* done = std::get_if<Administered>(&answer)) {
    for (const std::string& line : done->lines)
      if (!options.quiet) shown.out += printable(line) + "\n";
    return shown;
  }
  const Wanted wanted = wanted_of(options);
  if (wanted.listed == Listed::Unknown)
    return wrong("No valid entity in list command",
                 "Input line must include \"Account\", \"Association\", \"Cluster\", \"QOS\", "
                 "\"TRES\", or \"User\"");
  if (wanted.listed == Listed::Tres) return {tres_table(options), "", exit_ok};
  if (!wanted.unknown.empty())
    return wrong("Unknown condition: " + printable(wanted.unknown),
                 "There is: account=NAME, user=NAME, partition=NAME, qos=NAME");
  auto columns = accounting_columns(wanted.format.empty() ? default_format(wanted) : wanted.format);
  if (!columns) return wrong(columns.refusal().fact, columns.refusal().hint);
  if (wanted.as_tree) set_to_the_left(*columns, "Account");
  std::vector<AccountingRow> rows;
  if (const auto* list = std::get_if<AssociationList>(&answer)) {
    rows = rows_of(*list, wanted);
  } else if (const auto* cluster = std::get_if<ClusterView>(&answer)) {
    for (const Qos& qos : cluster->tiers)
      if (is_wanted(wanted, "qos", qos.name)) rows.push_back({cluster->name, nullptr, "", &qos, 0});
  } else {
    return wrong("Unexpected message", "");
  }
  if (options.json) {
    const std::string cluster = rows.empty() ? "" : rows.front().cluster;
    return {json_of(rows, wanted, cluster, screen), "", exit_ok};
  }
  const AccountingLayout layout = options.parsable2  ? AccountingLayout::Parsable2
                                  : options.parsable ? AccountingLayout::Parsable
                                                     : AccountingLayout::Columns;
  shown.out = accounting_table(*columns, rows, layout, !options.no_header);
  return shown;
}

}  // namespace cox
