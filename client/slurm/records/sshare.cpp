#include "client/slurm/records/sshare.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>

#include "client/show/account_tree.h"
#include "client/slurm/records/account_json.h"
#include "client/slurm/text/command_rows.h"
#include "client/slurm/text/option_words.h"
#include "client/text/table.h"
#include "common/base/nearest.h"
#include "common/base/text.h"

namespace cox {
namespace {

// clang-format off
constexpr OptionRow<SshareOptions> sshare_rows[] = {
  config_row<SshareOptions>,
  clusters_row<SshareOptions>(""),
  cluster_row<SshareOptions>,
  long_help_row<SshareOptions>,
  {"all", 'a', Takes::Nothing, "", "all users; default: only you", "",
   into<&SshareOptions::all_users>},
  {"accounts", 'A', Takes::Value, "TEXT", "only these accounts", "",
   list_into<&SshareOptions::accounts>},
  {"helpformat", 'e', Takes::Nothing, "", "the names of the columns", "",
   into<&SshareOptions::list_fields>},
  {"noheader", 'h', Takes::Nothing, "", "no header", "", into<&SshareOptions::no_header>},
  {"", 'n', Takes::Nothing, "", "", "", into<&SshareOptions::no_header>},
  {"long", 'l', Takes::Nothing, "", "more columns", "", into<&SshareOptions::long_report>},
  {"partition", 'm', Takes::Nothing, "", "the partition of each association", "",
   into<&SshareOptions::with_partitions>},
  {"format", 'o', Takes::Value, "TEXT", "columns, like Account%30,User,FairShare", "",
   set_by<set_only, &SshareOptions::format>},
  parsable_row<SshareOptions>,
  parsable2_row<SshareOptions>,
  {"users", 'u', Takes::Value, "TEXT", "only these users", "", list_into<&SshareOptions::users>},
  json_row<SshareOptions>("as Slurm's JSON, v0.0.40"),
  yaml_row<SshareOptions>,
  {"Users", 'U', Takes::Nothing, "", "only users, no accounts", "",
   into<&SshareOptions::only_users>},
  {"verbose", 'v', Takes::Nothing, "", "display more information: the users and accounts asked for",
   "", into<&SshareOptions::verbose>},
  usage_row<SshareOptions>,
};
// clang-format on

struct ShareRow {
  const AssociationView* view = nullptr;
  std::size_t depth = 0;
  double share_of_siblings = 0;  // 0 to 1: its part of the use below its parent
  std::string cluster;
};

std::string six(double value) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%.6f", value);
  return text.data();
}

bool is_root(const ShareRow& row) {
  return row.view->association.is_root();
}

// Returns LevelFS: the association's part of its siblings' shares divided by its part of their use.
// Above 1, it has used less than its share. Without any use: "inf".
std::string level_text(const ShareRow& row) {
  if (is_root(row)) return "";
  if (row.share_of_siblings <= 0) return "inf";
  return six(row.view->shares_part / row.share_of_siblings);
}

std::string shares_text(const ShareRow& row) {
  const Association& one = row.view->association;
  if (is_root(row)) return "";
  return one.shares_of_parent ? "parent" : std::to_string(one.shares);
}

std::string account_text(const ShareRow& row) {
  return std::string(row.depth, ' ') + row.view->association.account;
}

struct ShareColumn {
  std::string_view name;
  int width = 0;  // negative: aligned to the left
  std::string (*text)(const ShareRow& row) = nullptr;
};

constexpr auto share_columns = std::to_array<ShareColumn>({
    {"Account", -20, account_text},
    {"Cluster", 10, [](const ShareRow& r) { return r.cluster; }},
    {"User", 10, [](const ShareRow& r) { return r.view->association.user_name; }},
    {"Partition", 12, [](const ShareRow& r) { return r.view->association.partition; }},
    {"RawShares", 10, shares_text},
    {"NormShares", 11,
     [](const ShareRow& r) { return is_root(r) ? "" : six(r.view->shares_part); }},
    {"RawUsage", 11, [](const ShareRow& r) { return std::to_string(std::llround(r.view->usage)); }},
    {"NormUsage", 11, [](const ShareRow& r) { return is_root(r) ? "" : six(r.view->usage_part); }},
    {"EffectvUsage", 13,
     [](const ShareRow& r) { return is_root(r) ? six(1) : six(r.share_of_siblings); }},
    {"FairShare", 10,
     [](const ShareRow& r) {
       return r.view->association.is_account() ? "" : six(r.view->fair_share);
     }},
    {"LevelFS", 10, level_text},
    {"GrpTRESMins", 30,
     [](const ShareRow& r) { return format_tres(r.view->association.limits.grp_tres_mins); }},
    {"GrpTRESRaw", 30, [](const ShareRow& r) { return format_tres(r.view->minutes_used); }},
    {"TRESRunMins", 30, [](const ShareRow& r) { return format_tres(r.view->held); }},
    {"ID", 6, [](const ShareRow& r) { return std::to_string(r.view->association.id.value); }},
});

constexpr const char* format_plain =
    "Account,User,RawShares,NormShares,RawUsage,EffectvUsage,FairShare";
constexpr const char* format_long =
    "Account,User,RawShares,NormShares,RawUsage,NormUsage,EffectvUsage,FairShare,LevelFS,"
    "GrpTRESMins,TRESRunMins";

Result<ShareColumn> column_in(std::string_view word) {
  const std::size_t percent = word.find('%');
  const std::string name = lower_case(word.substr(0, percent));
  const auto begins = [&](const ShareColumn& c) {
    return !name.empty() && lower_case(c.name).starts_with(name);
  };
  const auto found = std::ranges::find_if(share_columns, begins);
  if (found == share_columns.end()) {
    std::vector<std::string_view> names;
    for (const ShareColumn& one : share_columns) names.push_back(one.name);
    return Refusal{"Invalid field requested: " + quoted(word), did_you_mean(word, names)};
  }
  ShareColumn column = *found;
  if (percent == std::string_view::npos) return column;
  const std::string_view width = word.substr(percent + 1);
  const auto [end, error] =
      std::from_chars(width.data(), width.data() + width.size(), column.width);
  constexpr int width_max = 4096;
  if (error != std::errc{} || end != width.data() + width.size() ||
      std::abs(column.width) > width_max)
    return Refusal{quoted(word) + " has an invalid width", "write it like account%30"};
  return column;
}

Result<std::vector<ShareColumn>> columns_in(std::string_view format) {
  std::vector<ShareColumn> columns;
  for (const std::string_view word : split(format, ',')) {
    auto column = column_in(word);
    if (!column) return column.refusal();
    columns.push_back(*column);
  }
  return columns;
}

std::string fitted(const std::string& text, int width) {
  const auto wide = static_cast<std::size_t>(std::abs(width));
  const std::size_t is = display_width(text);
  if (is > wide) return cut_text(text, wide == 0 ? 0 : wide - 1) + "+";
  const std::string blanks(wide - is, ' ');
  return width < 0 ? text + blanks : blanks + text;
}

template <class TextOf>
std::string line_of(const std::vector<ShareColumn>& columns, const SshareOptions& options,
                    TextOf&& text_of) {
  const bool plain = !options.parsable && !options.parsable2;
  std::string line;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const std::string text = printable(text_of(columns[i]));
    if (!plain && i > 0) line += "|";
    line += plain ? fitted(text, columns[i].width) + " " : text;
  }
  return line + (options.parsable ? "|\n" : "\n");
}

bool is_selected(const Association& one, const SshareOptions& options) {
  const auto in = [](const std::vector<std::string>& wanted, const std::string& is) {
    return wanted.empty() || std::ranges::find(wanted, is) != wanted.end();
  };
  if (!in(options.accounts, one.account)) return false;
  if (one.is_account()) return !options.only_users;
  if (options.all_users) return true;
  if (options.users.empty()) return one.user_name == options.user_name;
  return in(options.users, one.user_name);
}

std::string names_of_columns() {
  std::string names;
  std::size_t listed = 0;
  for (const ShareColumn& one : share_columns) {
    names += fitted(std::string(one.name), -20);
    if (++listed % 4 == 0) names += "\n";
  }
  return names + (listed % 4 == 0 ? "" : "\n");
}

std::string json_of(const AssociationList& list, const SshareOptions& options,
                    const Screen& screen) {
  std::vector<ShareShown> rows;
  for (const AccountTreeEntry& entry : accounts_in_tree_order(list)) {
    const Association& one = entry.view->association;
    if (!is_selected(one, options)) continue;
    rows.push_back({entry.view, usage_among_siblings(list, one, entry.view->usage)});
  }
  return json_of_shares(rows, list.cluster, screen);
}

// Returns what --verbose prints on stderr: the users and accounts that are listed.
std::string filters_asked(const SshareOptions& options) {
  std::vector<std::string> users = options.users;
  if (options.all_users)
    users.clear();
  else if (users.empty())
    users = {options.user_name};
  const auto lines = [](const std::vector<std::string>& names) {
    std::string text;
    for (const std::string& name : names) text += "\t: " + printable(name) + "\n";
    return text.empty() ? "\t: all\n" : text;
  };
  return "Users requested:\n" + lines(users) + "Accounts requested:\n" + lines(options.accounts);
}

}  // namespace

const CommandLineOf<SshareOptions> sshare_line = [] {
  auto line = command_line_from<sshare_rows>();
  line.head = "Valid OPTIONs are";
  return line;
}();

Failure SshareOptions::resolve(const CallerContext& caller) {
  user_name = caller.user_name();
  return std::nullopt;
}

Question ask_sshare(const SshareOptions&) {
  return ListAssociations{};
}

Shown show_sshare(const Answer& answer, const SshareOptions& options, const Screen& screen) {
  if (options.list_fields) return {names_of_columns(), "", exit_ok};
  const auto* list = std::get_if<AssociationList>(&answer);
  if (list == nullptr) return {"", "sshare: error: Unexpected message\n", exit_refused};
  if (options.json) return {json_of(*list, options, screen), "", exit_ok};
  std::string format = options.long_report ? format_long : format_plain;
  if (options.with_partitions) format.insert(format.find(",RawShares"), ",Partition");
  const auto columns = columns_in(options.format.empty() ? format : options.format.front());
  if (!columns) return {"", slurm_error("sshare", columns.refusal().fact).err, exit_refused};
  Shown shown;
  if (options.verbose) shown.err = filters_asked(options);
  if (!options.no_header) {
    shown.out = line_of(*columns, options, [](const auto& c) { return std::string(c.name); });
    if (!options.parsable && !options.parsable2)
      shown.out += line_of(*columns, options, [](const auto& c) {
        return std::string(static_cast<std::size_t>(std::abs(c.width)), '-');
      });
  }
  for (const AccountTreeEntry& entry : accounts_in_tree_order(*list)) {
    const Association& one = entry.view->association;
    if (!is_selected(one, options)) continue;
    const ShareRow row{entry.view, options.only_users ? 0 : entry.depth,
                       usage_among_siblings(*list, one, entry.view->usage), list->cluster};
    shown.out += line_of(*columns, options, [&](const auto& c) { return c.text(row); });
  }
  return shown;
}

}  // namespace cox
