// `scontrol show assoc_mgr`: the users, associations and QOS that the controller has, with their
// limits and use. The use of a QOS is not in any reply, so only its limits are shown.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <map>
#include <set>

#include "client/show/account_tree.h"
#include "client/slurm/control/scontrol_show.h"
#include "common/base/text.h"

namespace cox {
namespace {

using WantedNames = std::set<std::string>;

// The words after `assoc_mgr`: which sections are shown, and which names in them. No names: all.
struct AssocMgrWanted {
  bool users = false, associations = false, qos = false;
  WantedNames user_names, accounts, qos_names;
};

bool is_meant(const WantedNames& wanted, const std::string& name) {
  return wanted.empty() || wanted.contains(name);
}

void add_wanted(WantedNames& names, std::string_view list, bool any_case) {
  for (const std::string_view name : split(list, ','))
    names.insert(any_case ? lower_case(name) : std::string(name));
}

Failure add_sections(AssocMgrWanted& wanted, const std::string& flags) {
  const std::string lower = lower_case(flags);
  const auto has = [&](std::string_view flag) { return lower.find(flag) != std::string::npos; };
  wanted.users |= has("users");
  wanted.associations |= has("assoc");
  wanted.qos |= has("qos");
  if (wanted.users || wanted.associations || wanted.qos) return std::nullopt;
  return Refusal{
      "invalid flag '" + printable(flags) + "', valid options are 'Assoc, QOS, and/or Users'", ""};
}

Result<AssocMgrWanted> assoc_mgr_wanted(const ControlWords& words) {
  AssocMgrWanted wanted;
  for (const std::string& word : words) {
    const std::size_t equals = word.find('=');
    const std::string name = word.substr(0, equals);
    const std::string value = equals == std::string::npos ? "" : word.substr(equals + 1);
    if (value.empty()) return Refusal{"No value given for option " + printable(word), ""};
    if (means(name, "accounts", 1)) {
      add_wanted(wanted.accounts, value, true);
    } else if (means(name, "flags", 1)) {
      if (auto f = add_sections(wanted, value)) return *f;
    } else if (means(name, "qos", 1)) {
      add_wanted(wanted.qos_names, value, true);
    } else if (means(name, "users", 1)) {
      add_wanted(wanted.user_names, value, false);
    } else {
      return Refusal{"invalid entity: " + printable(name) + " for keyword:show assoc_mgr", ""};
    }
  }
  if (!wanted.users && !wanted.associations && !wanted.qos)
    wanted.users = wanted.associations = wanted.qos = true;
  return wanted;
}

// ---- parts of a record

std::string two_digits(double value) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%.2f", value);
  return text.data();
}

// Returns "5", or "N" for no limit.
std::string limit_or_n(const std::optional<std::int64_t>& limit) {
  return limit ? std::to_string(*limit) : "N";
}
std::optional<std::int64_t> in_minutes(const std::optional<std::int64_t>& seconds) {
  return seconds ? std::optional(*seconds / 60) : std::nullopt;
}
// Returns "Key=5", or "Key=" for no limit.
std::string if_set(const std::string& key, const std::optional<std::int64_t>& limit) {
  return key + "=" + (limit ? std::to_string(*limit) : "");
}
std::string in_use(std::int64_t count) {
  return "(" + std::to_string(count) + ")";
}

// Returns the amount as Slurm's parsers expect it: memory in MiB, without a unit.
std::string plain_amount(const TresCount& one) {
  return one.what == Tres::MemoryMb ? std::to_string(one.count) : tres_amount(one);
}

bool is_of_same(const TresCount& a, const TresCount& b) {
  return a.what == b.what && a.name == b.name && a.type == b.type;
}

// Returns "Key=cpu=64(3),gres/gpu=N(1)": limits, and in parentheses how much is in use, if known.
// `used` also has resources without a limit.
std::string tres_line(const std::string& key, const TresList& limits, const TresList& used = {}) {
  std::vector<std::string> parts;
  const auto use_of = [&](const TresCount& one) {
    const auto found =
        std::ranges::find_if(used, [&](const TresCount& use) { return is_of_same(use, one); });
    return found == used.end() ? "" : "(" + plain_amount(*found) + ")";
  };
  for (const TresCount& one : limits)
    parts.push_back(tres_name(one) + "=" + plain_amount(one) +
                    (one.hours.empty() ? "" : "@" + one.hours) + use_of(one));
  for (const TresCount& one : used)
    if (std::ranges::none_of(limits, [&](const TresCount& l) { return is_of_same(l, one); }))
      parts.push_back(tres_name(one) + "=N" + use_of(one));
  return key + "=" + joined(parts, ",");
}

// Returns the lines as one record. Slurm puts no empty line between records.
std::string record_of(const std::vector<std::string>& lines, const RecordView& as) {
  std::string text;
  for (const std::string& line : lines)
    text += (text.empty() ? "" : as.one_line ? " " : "\n    ") + printable(line);
  return text + "\n";
}

std::string user_text(const std::string& name, const RecordView& as) {
  const std::string unknown = "4294967294";  // Slurm's number for a user without one
  const auto uid = as.user_id == nullptr ? std::nullopt : as.user_id(name);
  return name + "(" + (uid ? std::to_string(*uid) : unknown) + ")";
}

// Returns Slurm's Lineage: the names of all accounts below root down to this association.
std::string lineage_of(const Association& one, const std::map<std::string, std::string>& parents) {
  std::string text = "/";
  std::string account = one.account;
  for (std::size_t depth = 0; account != root_account && depth < parents.size(); ++depth) {
    text = "/" + account + text;
    const auto parent = parents.find(account);
    account = parent == parents.end() ? std::string(root_account) : parent->second;
  }
  if (!one.is_account()) text += "0-" + one.user_name + "/";
  return text + (one.partition.empty() ? "" : one.partition + "/");
}

// Returns the shares of all associations beside this one and of itself, together.
std::int64_t shares_at_level(const AssociationList& list, const Association& one) {
  std::int64_t all = 0;
  for (const AssociationView& other : list.associations)
    if (are_siblings(one, other.association) && !other.association.shares_of_parent)
      all += other.association.shares;
  return all;
}

std::vector<std::string> limit_lines(const AssociationView& view) {
  const AssociationLimits& limits = view.association.limits;
  const auto used_or_none = [](const std::string& key, const auto& limit, std::int64_t used) {
    return if_set(key, limit) + (limit ? in_use(used) : "");
  };
  return {"GrpJobs=" + limit_or_n(limits.grp_jobs) + in_use(view.running) + " GrpJobsAccrue=N(0)",
          "GrpSubmitJobs=" + limit_or_n(limits.grp_submit_jobs) + in_use(view.submitted) +
              " GrpWall=" + limit_or_n(in_minutes(limits.grp_wall_s)) + "(" +
              two_digits(static_cast<double>(view.wall_used_s) / 60) + ")",
          tres_line("GrpTRES", limits.grp_tres, view.held),
          tres_line("GrpTRESMins", limits.grp_tres_mins, view.minutes_used),
          "GrpTRESRunMins=",
          used_or_none("MaxJobs", limits.max_jobs, view.running) + " MaxJobsAccrue= " +
              used_or_none("MaxSubmitJobs", limits.max_submit_jobs, view.submitted) + " " +
              if_set("MaxWallPJ", in_minutes(limits.max_wall_s)),
          tres_line("MaxTRESPJ", limits.max_tres_per_job),
          "MaxTRESPN=",
          tres_line("MaxTRESMinsPJ", limits.max_tres_mins_per_job),
          "MinPrioThresh=",
          "Comment="};
}

std::string association_record(const AssociationList& list, const AssociationView& view,
                               const RecordView& as) {
  const Association& one = view.association;
  std::map<std::string, std::string> parents;
  AssociationId parent_id;
  for (const AssociationView& other : list.associations) {
    if (!other.association.is_account()) continue;
    parents[other.association.account] = other.association.parent;
    if (other.association.account == one.parent) parent_id = other.association.id;
  }
  const bool is_root = one.is_root();
  const double effective = is_root ? 1 : usage_among_siblings(list, one, view.usage);
  const std::string parent =
      one.parent.empty() ? "" : one.parent + "(" + std::to_string(parent_id.value) + ")";
  std::vector<std::string> lines = {
      "ClusterName=" + list.cluster + " Account=" + one.account +
          " UserName=" + (one.is_account() ? "" : user_text(one.user_name, as)) +
          " Partition=" + one.partition + " Priority=0 ID=" + std::to_string(one.id.value),
      "SharesRaw/Norm/Level/Factor=" +
          (one.shares_of_parent ? "parent" : std::to_string(one.shares)) + "/" +
          two_digits(view.shares_part) + "/" +
          std::to_string(is_root ? 1 : shares_at_level(list, one)) + "/" +
          two_digits(view.fair_share),
      "UsageRaw/Norm/Efctv=" + two_digits(view.usage) + "/" + two_digits(view.usage_part) + "/" +
          two_digits(effective),
      "ParentAccount=" + parent + " Lineage=" + lineage_of(one, parents) +
          " DefAssoc=" + (one.is_default ? "Yes" : "No")};
  const auto limits = limit_lines(view);
  lines.insert(lines.end(), limits.begin(), limits.end());
  return record_of(lines, as);
}

std::string qos_record(const Qos& qos, const RecordView& as) {
  const QosLimits& limits = qos.limits;
  std::string mode(name(qos.preempt_mode));
  for (char& c : mode) c = static_cast<char>(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
  return record_of(
      {"QOS=" + qos.name,
       "GrpJobs=" + limit_or_n(limits.grp_jobs) +
           " GrpSubmitJobs=" + limit_or_n(limits.grp_submit_jobs) +
           " GrpWall=" + limit_or_n(in_minutes(limits.grp_wall_s)),
       tres_line("GrpTRES", limits.grp_tres), tres_line("GrpTRESMins", limits.grp_tres_mins),
       "GrpTRESRunMins=", if_set("MaxWallPJ", in_minutes(limits.max_wall_s)),
       tres_line("MaxTRESPJ", limits.max_tres_per_job), "MaxTRESPN=", "MaxTRESMinsPJ=",
       "MinPrioThresh=", tres_line("MinTRESPJ", limits.min_tres_per_job), "PreemptMode=" + mode,
       "Priority=" + std::to_string(qos.tier),
       "MaxJobsPU=" + limit_or_n(limits.max_jobs_per_user) +
           " MaxSubmitJobsPU=" + limit_or_n(limits.max_submit_jobs_per_user),
       tres_line("MaxTRESPU", limits.max_tres_per_user)},
      as);
}

// ---- the three sections

// Returns the records under a heading; if there are none, Slurm's line for that.
std::string section(const std::string& heading, const std::string& records, const std::string& none,
                    const RecordView& as) {
  const std::string blank = as.one_line ? "" : "\n";
  if (records.empty()) return blank + "No " + none + " currently cached in Slurm.\n" + blank;
  return blank + heading + "\n" + blank + records;
}

std::string user_records(const AssociationList& list, const AssocMgrWanted& wanted,
                         const RecordView& as) {
  std::map<std::string, std::string> default_accounts;
  for (const AssociationView& view : list.associations) {
    const Association& one = view.association;
    if (one.is_account() || !is_meant(wanted.user_names, one.user_name)) continue;
    std::string& account = default_accounts[one.user_name];
    if (one.is_default) account = one.account;
  }
  std::string text;
  for (const auto& [name, account] : default_accounts)
    text += record_of({"UserName=" + user_text(name, as) + " DefAccount=" + account +
                       " DefWckey= AdminLevel=None"},
                      as);
  return text;
}

std::string association_records(const AssociationList& list, const AssocMgrWanted& wanted,
                                const RecordView& as) {
  std::string text;
  for (const AccountTreeEntry& entry : accounts_in_tree_order(list)) {
    const Association& one = entry.view->association;
    if (is_meant(wanted.accounts, one.account) && is_meant(wanted.user_names, one.user_name))
      text += association_record(list, *entry.view, as);
  }
  return text;
}

}  // namespace

ControlPlan show_assoc_mgr(const ControlWords& words, const ControlContext& context) {
  const auto wanted = assoc_mgr_wanted(words);
  if (!wanted) return complain(wanted.refusal().fact);
  ControlPlan plan;
  plan.questions = {ListAssociations{}, ShowCluster{}};
  plan.show = [wanted = *wanted, as = context.as](const Answers& answers) {
    const auto* list = body_of<AssociationList>(answers, 0);
    const auto* cluster = body_of<ClusterView>(answers, 1);
    if (list == nullptr || cluster == nullptr)
      return not_answered("slurm_load_assoc_mgr_info error: ",
                          list == nullptr ? answers.front() : answers.back());
    std::string qos;
    for (const Qos& one : cluster->tiers)
      if (is_meant(wanted.qos_names, one.name)) qos += qos_record(one, as);
    Shown shown{"Current Association Manager state\n", "", exit_ok};
    if (wanted.users)
      shown.out += section("User Records", user_records(*list, wanted, as), "users", as);
    if (wanted.associations)
      shown.out += section("Association Records", association_records(*list, wanted, as),
                           "associations", as);
    if (wanted.qos) shown.out += section("QOS Records", qos, "QOS", as);
    return shown;
  };
  return plan;
}

}  // namespace cox
