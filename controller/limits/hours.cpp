#include "controller/limits/hours.h"

#include <algorithm>
#include <vector>

#include "common/base/moment_text.h"
#include "common/base/nearest.h"
#include "common/base/text.h"

namespace cox {
namespace {

bool overlap(const WeekHours& a, const WeekHours& b) {
  for (const WeekHours::Span& one : a.open)
    for (const WeekHours::Span& other : b.open)
      if (one.begin < other.end && other.begin < one.end) return true;
  return false;
}

// Returns how many minutes of the week are in at least one of the spans, which may overlap.
std::int32_t open_minutes(std::vector<WeekHours::Span> spans) {
  std::ranges::sort(spans, {}, &WeekHours::Span::begin);
  std::int32_t minutes = 0;
  std::int32_t counted_to = 0;
  for (const WeekHours::Span& span : spans) {
    minutes += std::max(0, span.end - std::max(span.begin, counted_to));
    counted_to = std::max(counted_to, span.end);
  }
  return minutes;
}

Refusal no_such_hours(const std::string& name, const NamedHours& hours) {
  std::vector<std::string_view> known;
  std::string all;
  for (const auto& [one, when] : hours) {
    known.push_back(one);
    all += (all.empty() ? "known hours: " : ", ") + one;
  }
  Refusal refusal{"unknown hours " + quoted(name), did_you_mean(name, known)};
  if (refusal.hint.empty()) refusal.hint = all;
  if (refusal.hint.empty()) refusal.hint = "define them in [hours] of coxswain.toml";
  return refusal;
}

Failure check_list(const NamedHours& hours, const std::string& limit, const TresList& list,
                   const TresList& before_it) {
  for (const TresCount& one : list) {
    if (one.hours.empty() || std::ranges::find(before_it, one) != before_it.end()) continue;
    const auto when = hours.find(one.hours);
    if (when == hours.end()) return no_such_hours(one.hours, hours);
    for (const TresCount& before : list) {
      const bool has_its_turn =
          &before > &one && std::ranges::find(before_it, before) == before_it.end();
      if (&before == &one || has_its_turn) continue;
      const auto other = hours.find(before.hours);
      if (other == hours.end() || tres_name(before) != tres_name(one)) continue;
      if (overlap(other->second, when->second))
        return Refusal{limit + " has " + tres_name(one) + " for hours " + before.hours +
                           " and for hours " + one.hours + ", which overlap",
                       "name hours that do not overlap"};
    }
  }
  return std::nullopt;
}

}  // namespace

std::set<std::string> hours_open_at(const NamedHours& hours, Wall at) {
  std::set<std::string> open;
  for (const auto& [name, when] : hours)
    if (are_open(when, at)) open.insert(name);
  return open;
}

std::string closed_text(const ControllerConfig& config, const PartitionConfig& partition, Wall at) {
  const WeekHours& hours = config.hours.at(partition.hours);
  return "partition " + partition.name + " is closed until " + moment_text(next_turn(hours, at)) +
         " (hours " + partition.hours + ": " + format_week_hours(hours) + ")";
}

Failure check_hours(const NamedHours& hours, const AssociationLimits& limits,
                    const AssociationLimits& before) {
  struct Checked {
    const char* name;
    TresList AssociationLimits::*list;
  };
  for (const Checked& one : {Checked{"GrpTRES", &AssociationLimits::grp_tres},
                             Checked{"Guarantee", &AssociationLimits::guarantee},
                             Checked{"Deserved", &AssociationLimits::deserved}}) {
    if (limits.*one.list == before.*one.list) continue;
    if (auto f = check_list(hours, one.name, limits.*one.list, before.*one.list)) return f;
  }
  return std::nullopt;
}

TresList most_ever(const TresList& list, const NamedHours& hours) {
  struct Ever {
    // The minutes of the week in which the list limits the resource.
    std::vector<WeekHours::Span> spans;
    TresCount most;
  };
  std::map<std::string, Ever> all;
  for (const TresCount& one : list) {
    const auto when = hours.find(one.hours);
    const bool always = one.hours.empty();
    if (!always && when == hours.end()) continue;  // hours that are no longer configured never open
    Ever& ever = all[tres_name(one)];
    if (ever.spans.empty() || one.count > ever.most.count) ever.most = one;
    const std::vector<WeekHours::Span> all_week{{0, week_minutes}};
    const auto& spans = always ? all_week : when->second.open;
    ever.spans.insert(ever.spans.end(), spans.begin(), spans.end());
  }
  TresList most;
  for (const auto& [name, ever] : all)
    if (open_minutes(ever.spans) == week_minutes) most.push_back(ever.most);
  return most;
}

std::set<std::string> hours_in(const TresList& list, const TresCount& tres) {
  std::set<std::string> hours;
  for (const TresCount& one : list)
    if (!one.hours.empty() && tres_name(one) == tres_name(tres)) hours.insert(one.hours);
  return hours;
}

std::set<std::string> accounts_limited_by(const Accounts& accounts,
                                          const std::set<std::string>& turned) {
  const auto names = [&](const TresList& list) {
    return std::ranges::any_of(list,
                               [&](const TresCount& one) { return turned.contains(one.hours); });
  };
  std::set<std::string> limited;
  for (const auto& [id, one] : accounts.all()) {
    const AssociationLimits& l = one.limits;
    if (names(l.grp_tres)) limited.insert(one.account);
    // A quota of one account changes the fair shares of all others, so the root counts as limited.
    if (names(l.guarantee) || names(l.deserved)) limited.emplace(root_account);
  }
  return limited;
}

}  // namespace cox
