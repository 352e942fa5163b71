#include "client/show/show_accounts.h"

#include <algorithm>
#include <array>
#include <cstdio>

#include "client/show/account_tree.h"
#include "client/text/table.h"
#include "common/base/text.h"
#include "common/base/time_format.h"

namespace cox {
namespace {

std::string percent(double part) {
  std::array<char, 16> text{};
  std::snprintf(text.data(), text.size(), "%.1f%%", part * 100);
  return text.data();
}

std::string factor_text(double factor) {
  std::array<char, 16> text{};
  std::snprintf(text.data(), text.size(), "%.3f", factor);
  return text.data();
}

std::string limits_text(const AssociationLimits& limits) {
  std::vector<std::string> said;
  const auto count = [&](const char* name, const std::optional<std::int64_t>& most) {
    if (most) said.push_back(std::string(name) + "=" + std::to_string(*most));
  };
  const auto tres = [&](const char* name, const TresList& list) {
    if (!list.empty()) said.push_back(std::string(name) + "=" + format_tres(list));
  };
  const auto wall = [&](const char* name, const std::optional<std::int64_t>& most) {
    if (most) said.push_back(std::string(name) + "=" + format_time_limit(*most));
  };
  tres("Guarantee", limits.guarantee);
  tres("Deserved", limits.deserved);
  tres("GrpTRES", limits.grp_tres);
  count("GrpJobs", limits.grp_jobs);
  count("GrpSubmitJobs", limits.grp_submit_jobs);
  tres("GrpTRESMins", limits.grp_tres_mins);
  wall("GrpWall", limits.grp_wall_s);
  tres("MaxTRES", limits.max_tres_per_job);
  tres("MaxTRESMins", limits.max_tres_mins_per_job);
  count("MaxJobs", limits.max_jobs);
  count("MaxSubmitJobs", limits.max_submit_jobs);
  wall("MaxWall", limits.max_wall_s);
  return joined(said, " ");
}

// Returns the resources that the account or user holds now, and its use of the limits GrpTRESMins
// and GrpWall: "cpu=3 GrpTRESMins=cpu=110".
std::string use_text(const AssociationView& view) {
  TresList held = view.held;
  std::erase_if(held, [](const TresCount& one) { return one.count == 0; });
  std::string text = format_tres(held);
  const auto add = [&](const std::string& more) { text += (text.empty() ? "" : " ") + more; };
  if (!view.minutes_used.empty()) add("GrpTRESMins=" + format_tres(view.minutes_used));
  if (view.association.limits.grp_wall_s)
    add("GrpWall=" + (view.wall_used_s > 0 ? format_time_limit(view.wall_used_s) : "00:00:00"));
  return text;
}

void add_row(Table& table, const AssociationView& view, std::size_t depth) {
  const Association& one = view.association;
  std::string label(2 * depth, ' ');
  label += one.is_account() ? one.account : one.user_name;
  if (!one.partition.empty()) label += " in " + one.partition;
  if (one.is_default) label += " *";
  std::string limits = limits_text(one.limits);
  if (!one.qos.empty()) limits += (limits.empty() ? "" : " ") + ("QOS=" + joined(one.qos, ","));
  table.row({Cell(printable(label), one.is_account() ? Colour::Bold : Colour::None),
             one.is_root()          ? ""
             : one.shares_of_parent ? "parent"
                                    : std::to_string(one.shares),
             percent(view.shares_part), percent(view.usage_part),
             one.is_account() ? "" : factor_text(view.fair_share), std::to_string(view.running),
             std::to_string(view.submitted - view.running), use_text(view), printable(limits)});
}

}  // namespace

std::string show_accounts(const AssociationList& list, const Screen& screen) {
  if (list.associations.size() <= 1)
    return "There are no accounts; jobs run without them. An administrator adds them with sacctmgr "
           "add account NAME.\n";
  Table table({"ACCOUNT OR USER", "SHARES", "ENTITLED", "USED", "FAIRSHARE", "RUN", "WAIT", "HAS",
               "LIMITS"});
  table.right(1).right(2).right(3).right(4).right(5).right(6);
  for (const AccountTreeEntry& one : accounts_in_tree_order(list))
    add_row(table, *one.view, one.depth);
  const bool has_default = std::ranges::any_of(
      list.associations, [](const AssociationView& view) { return view.association.is_default; });
  return table.text(screen.colour) + (has_default ? "* the account of jobs that name none\n" : "");
}

}  // namespace cox
