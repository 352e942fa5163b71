#include "controller/accounting/accounting_fields.h"

#include <algorithm>
#include <array>

#include "common/base/count_format.h"
#include "common/base/hostlist.h"
#include "common/base/limits.h"
#include "common/base/nearest.h"
#include "common/base/text.h"
#include "common/base/time_format.h"
#include "common/cluster/scheduling_settings.h"
#include "common/syntax/later_accounting.h"

namespace cox {
namespace {

constexpr std::string_view none = "-1";
constexpr std::int64_t count_max = 1'000'000'000;  // the largest limit on a number of jobs

Refusal unreadable(const AccountingSetting& s, const Refusal& why) {
  return {s.name + ": " + why.fact, why.hint};
}

Failure set_count(std::optional<std::int64_t>& field, const AccountingSetting& s) {
  if (s.value == none || s.value.empty()) {
    field.reset();
    return std::nullopt;
  }
  const auto count = parse_count(s.value, 0, count_max);
  if (!count) return unreadable(s, count.refusal());
  field = *count;
  return std::nullopt;
}

std::string key_of(const TresCount& one) {
  return tres_name(one) + (one.hours.empty() ? "" : "@" + one.hours);
}

using TresParser = Result<TresList> (*)(std::string_view);

// Changes the limits of the resources that the value names: "cpu=10,mem=-1" sets one and removes
// one. An empty value or -1 removes all. "cpu=-1@nights" removes only the limit for those hours.
Failure set_tres(TresList& field, const AccountingSetting& s, TresParser parse = parse_tres) {
  if (s.value == none || s.value.empty()) {
    field.clear();
    return std::nullopt;
  }
  std::string kept;
  std::vector<std::string> gone;
  for (const std::string_view part : split(s.value, ',')) {
    constexpr std::string_view absence_text = "=-1";
    const std::size_t equals = part.find('=');
    const std::string_view amount = part.substr(std::min(equals, part.size()));
    const bool of_hours = amount.starts_with("=-1@") && parse == parse_tres_by_hours;
    if (amount == absence_text || of_hours) {
      gone.push_back(std::string(part.substr(0, equals)) +
                     std::string(amount.substr(absence_text.size())));
    } else {
      kept += (kept.empty() ? "" : ",") + std::string(part);
    }
  }
  auto counts = parse(kept);
  if (!counts) return unreadable(s, counts.refusal());
  for (const TresCount& one : *counts) gone.push_back(key_of(one));
  std::erase_if(field, [&](const TresCount& one) {
    return std::ranges::find(gone, key_of(one)) != gone.end();
  });
  field.insert(field.end(), counts->begin(), counts->end());
  if (field.size() <= limits::tres_per_list_max) return std::nullopt;
  return Refusal{
      s.name + " counts more than " + std::to_string(limits::tres_per_list_max) + " resources",
      "count fewer"};
}

// Sets limits on resources of nodes. Licences are refused.
Failure set_tres_of_nodes(TresList& field, const AccountingSetting& s,
                          TresParser parse = parse_tres) {
  if (auto f = set_tres(field, s, parse)) return f;
  for (const TresCount& one : field)
    if (one.what == Tres::Licences)
      return Refusal{s.name + " counts only resources of nodes, not " + tres_name(one),
                     "use cpu, mem, node, gres/NAME or gres/NAME:TYPE"};
  return std::nullopt;
}

Failure set_quota(Association& a, TresList& field, const AccountingSetting& s) {
  if (!a.is_account() || a.is_root())
    return Refusal{s.name + " can be set only for accounts below the root",
                   "set it for an account: modify account NAME set " + s.name + "=..."};
  return set_tres_of_nodes(field, s, parse_tres_by_hours);
}

// Sets a limit on time. The value is a number of minutes or has another form of --time, such as
// 1-12:00:00. The field gets seconds.
Failure set_time(std::optional<std::int64_t>& field, const AccountingSetting& s) {
  if (s.value == none || s.value.empty()) {
    field.reset();
    return std::nullopt;
  }
  const auto seconds = parse_time_limit(s.value);
  if (!seconds) return unreadable(s, seconds.refusal());
  const bool says_a_number = s.value.find_first_of("0123456789") != std::string::npos;
  if (*seconds == 0 && says_a_number)
    return Refusal{s.name + " must be at least 1 minute", "set a longer time, or UNLIMITED"};
  field.reset();
  if (*seconds > 0) field = *seconds;
  return std::nullopt;
}

// Sets a limit on the wall time of many jobs together. It may be longer than the longest time limit
// of one job. The value is a number of minutes or has a form of --time; the field gets seconds.
Failure set_wall(std::optional<std::int64_t>& field, const AccountingSetting& s) {
  constexpr std::int64_t minutes_max = 1'000'000'000;
  const auto minutes = parse_count(s.value, 1, minutes_max);
  if (!minutes) return set_time(field, s);
  field = *minutes * 60;
  return std::nullopt;
}

Failure set_text(std::string& field, const AccountingSetting& s) {
  if (s.value.size() > limits::word_bytes_max)
    return Refusal{s.name + " has " + std::to_string(s.value.size()) + " bytes; the limit is " +
                       std::to_string(limits::word_bytes_max),
                   "make it shorter"};
  field = s.value == none ? "" : s.value;
  return std::nullopt;
}

Failure set_shares(Association& a, const AccountingSetting& s) {
  a.shares_of_parent = s.value == "parent" || s.value == "Parent";
  if (a.shares_of_parent) return std::nullopt;
  const auto shares = parse_count(s.value == none ? "1" : s.value, 0, limits::fair_shares_max);
  if (!shares) return Refusal{s.name + ": " + shares.refusal().fact, "give a number, or parent"};
  a.shares = *shares;
  return std::nullopt;
}

// Sets a list: qos=a,b replaces it, qos+=c adds a name, qos-=a removes one. Names that stay keep
// their places, since the first may be the default of jobs.
Failure set_names(std::vector<std::string>& field, const AccountingSetting& s) {
  if (s.change == '=') field.clear();
  if (s.value.empty() || s.value == none) return std::nullopt;
  for (const std::string_view part : split(s.value, ',')) {
    const std::string name(part);
    if (s.change == '-') std::erase(field, name);
    if (s.change != '-' && std::ranges::find(field, name) == field.end()) field.push_back(name);
  }
  if (field.size() <= limits::accounting_words_max) return std::nullopt;
  return Refusal{
      s.name + " has more than " + std::to_string(limits::accounting_words_max) + " names",
      "name fewer"};
}

template <class Row>
struct Field {
  std::string_view name;  // lower case
  Failure (*set)(Row& row, const AccountingSetting& setting);
};

using A = Association;
using S = AccountingSetting;

constexpr auto association_fields = std::to_array<Field<Association>>({
    {"fairshare", [](A& a, const S& s) { return set_shares(a, s); }},
    {"shares", [](A& a, const S& s) { return set_shares(a, s); }},
    {"grptres",
     [](A& a, const S& s) { return set_tres(a.limits.grp_tres, s, parse_tres_by_hours); }},
    {"guarantee", [](A& a, const S& s) { return set_quota(a, a.limits.guarantee, s); }},
    {"deserved", [](A& a, const S& s) { return set_quota(a, a.limits.deserved, s); }},
    {"grpjobs", [](A& a, const S& s) { return set_count(a.limits.grp_jobs, s); }},
    {"grpsubmitjobs", [](A& a, const S& s) { return set_count(a.limits.grp_submit_jobs, s); }},
    {"grpsubmit", [](A& a, const S& s) { return set_count(a.limits.grp_submit_jobs, s); }},
    {"grptresmins", [](A& a, const S& s) { return set_tres(a.limits.grp_tres_mins, s); }},
    {"grpwall", [](A& a, const S& s) { return set_wall(a.limits.grp_wall_s, s); }},
    {"maxtres", [](A& a, const S& s) { return set_tres(a.limits.max_tres_per_job, s); }},
    {"maxtresperjob", [](A& a, const S& s) { return set_tres(a.limits.max_tres_per_job, s); }},
    {"maxtresmins", [](A& a, const S& s) { return set_tres(a.limits.max_tres_mins_per_job, s); }},
    {"maxtresminsperjob",
     [](A& a, const S& s) { return set_tres(a.limits.max_tres_mins_per_job, s); }},
    {"maxjobs", [](A& a, const S& s) { return set_count(a.limits.max_jobs, s); }},
    {"maxsubmitjobs", [](A& a, const S& s) { return set_count(a.limits.max_submit_jobs, s); }},
    {"maxsubmit", [](A& a, const S& s) { return set_count(a.limits.max_submit_jobs, s); }},
    {"maxwall", [](A& a, const S& s) { return set_time(a.limits.max_wall_s, s); }},
    {"maxwalldurationperjob", [](A& a, const S& s) { return set_time(a.limits.max_wall_s, s); }},
    {"qos", [](A& a, const S& s) { return set_names(a.qos, s); }},
    {"qoslevel", [](A& a, const S& s) { return set_names(a.qos, s); }},
    {"defaultqos", [](A& a, const S& s) { return set_text(a.default_qos, s); }},
    {"description", [](A& a, const S& s) { return set_text(a.description, s); }},
    {"organization", [](A& a, const S& s) { return set_text(a.organization, s); }},
});

Failure set_tier(Qos& q, const AccountingSetting& s) {
  constexpr std::int64_t tier_max = 1'000'000;
  const auto tier = parse_count(s.value, 0, tier_max);
  if (!tier) return unreadable(s, tier.refusal());
  q.tier = static_cast<std::int32_t>(*tier);
  return std::nullopt;
}

Failure set_mode(Qos& q, const AccountingSetting& s) {
  for (const PreemptMode mode : {PreemptMode::Checkpoint, PreemptMode::Requeue, PreemptMode::Cancel,
                                 PreemptMode::Off, PreemptMode::Suspend}) {
    if (name(mode) != lower_case(s.value)) continue;
    q.preempt_mode = mode;
    return std::nullopt;
  }
  return Refusal{quoted(s.value) + " is not a preempt mode",
                 "possible: checkpoint, requeue, cancel, off, suspend"};
}

Failure set_grace(Qos& q, const AccountingSetting& s) {
  constexpr std::int64_t grace_s_max = 7 * 24 * 3600;
  const auto seconds = parse_count(s.value, 0, grace_s_max);
  if (!seconds) return unreadable(s, seconds.refusal());
  q.grace_ms = *seconds * 1000;
  return std::nullopt;
}

Failure set_exempt(Qos& q, const AccountingSetting& s) {
  constexpr std::int64_t exempt_s_max = 365 * 24 * 3600;
  if (auto f = set_time(q.preempt_exempt_time_s, s)) return f;
  if (q.preempt_exempt_time_s.value_or(0) <= exempt_s_max) return std::nullopt;
  return Refusal{s.name + " is longer than 365 days, the limit", "set a shorter time"};
}

Failure set_weight(Qos& q, const AccountingSetting& s) {
  if (s.value == none) {
    q.preempt_weight.reset();
    return std::nullopt;
  }
  const auto weight = parse_count(s.value, 1, preempt_weight_max);
  if (!weight) return unreadable(s, weight.refusal());
  q.preempt_weight = *weight;
  return std::nullopt;
}

using Q = Qos;

constexpr auto qos_fields = std::to_array<Field<Qos>>({
    {"priority", [](Q& q, const S& s) { return set_tier(q, s); }},
    {"preemptmode", [](Q& q, const S& s) { return set_mode(q, s); }},
    {"gracetime", [](Q& q, const S& s) { return set_grace(q, s); }},
    {"preemptweight", [](Q& q, const S& s) { return set_weight(q, s); }},
    {"preemptexempttime", [](Q& q, const S& s) { return set_exempt(q, s); }},
    {"grptres", [](Q& q, const S& s) { return set_tres(q.limits.grp_tres, s); }},
    {"kepttres", [](Q& q, const S& s) { return set_tres_of_nodes(q.limits.kept_tres, s); }},
    {"grpjobs", [](Q& q, const S& s) { return set_count(q.limits.grp_jobs, s); }},
    {"grpsubmitjobs", [](Q& q, const S& s) { return set_count(q.limits.grp_submit_jobs, s); }},
    {"grpsubmit", [](Q& q, const S& s) { return set_count(q.limits.grp_submit_jobs, s); }},
    {"grptresmins", [](Q& q, const S& s) { return set_tres(q.limits.grp_tres_mins, s); }},
    {"grpwall", [](Q& q, const S& s) { return set_wall(q.limits.grp_wall_s, s); }},
    {"maxtresperuser", [](Q& q, const S& s) { return set_tres(q.limits.max_tres_per_user, s); }},
    {"maxtrespu", [](Q& q, const S& s) { return set_tres(q.limits.max_tres_per_user, s); }},
    {"maxjobsperuser", [](Q& q, const S& s) { return set_count(q.limits.max_jobs_per_user, s); }},
    {"maxjobspu", [](Q& q, const S& s) { return set_count(q.limits.max_jobs_per_user, s); }},
    {"maxsubmitjobsperuser",
     [](Q& q, const S& s) { return set_count(q.limits.max_submit_jobs_per_user, s); }},
    {"maxsubmitpu",
     [](Q& q, const S& s) { return set_count(q.limits.max_submit_jobs_per_user, s); }},
    {"maxtres", [](Q& q, const S& s) { return set_tres(q.limits.max_tres_per_job, s); }},
    {"maxtresperjob", [](Q& q, const S& s) { return set_tres(q.limits.max_tres_per_job, s); }},
    {"mintres", [](Q& q, const S& s) { return set_tres(q.limits.min_tres_per_job, s); }},
    {"mintresperjob", [](Q& q, const S& s) { return set_tres(q.limits.min_tres_per_job, s); }},
    {"maxwall", [](Q& q, const S& s) { return set_time(q.limits.max_wall_s, s); }},
    {"maxwalldurationperjob", [](Q& q, const S& s) { return set_time(q.limits.max_wall_s, s); }},
});

template <class Row, std::size_t N>
Failure set_in(const std::array<Field<Row>, N>& fields, AccountingObject whose, Row& row,
               const AccountingSetting& s) {
  std::vector<std::string_view> names;
  for (const Field<Row>& field : fields) {
    if (field.name == s.name) return field.set(row, s);
    names.push_back(field.name);
  }
  if (auto later = later_setting(whose, s.name)) return later;
  Refusal refusal{"unknown setting " + quoted(s.name), did_you_mean(s.name, names)};
  if (!refusal.hint.empty()) return refusal;
  refusal.hint = "possible: ";
  for (const std::string_view name : names)
    refusal.hint += (name == names.front() ? "" : ", ") + std::string(name);
  return refusal;
}

}  // namespace

Failure set_field(Association& association, const AccountingSetting& setting) {
  return set_in(association_fields, AccountingObject::Association, association, setting);
}

Failure set_field(Qos& qos, const AccountingSetting& setting) {
  return set_in(qos_fields, AccountingObject::Qos, qos, setting);
}

std::vector<std::string> take_values(std::vector<AccountingSetting>& settings,
                                     std::initializer_list<std::string_view> names) {
  std::vector<std::string> values;
  std::erase_if(settings, [&](const AccountingSetting& setting) {
    if (std::ranges::find(names, setting.name) == names.end()) return false;
    for (const std::string_view part : split(setting.value, ','))
      if (std::string value(part);
          !value.empty() && std::ranges::find(values, value) == values.end())
        values.push_back(std::move(value));
    return true;
  });
  return values;
}

std::vector<std::string> lower_all(const std::vector<std::string>& names) {
  std::vector<std::string> all;
  for (const std::string& name : names)
    if (std::string low = lower_case(name); std::ranges::find(all, low) == all.end())
      all.push_back(std::move(low));
  return all;
}

std::vector<std::string> take_accounts(std::vector<AccountingSetting>& settings) {
  return lower_all(take_values(settings, {"account", "accounts", "acct"}));
}

Association without_usage(Association one) {
  one.usage.clear();
  one.usage_at = Wall{};
  return one;
}

Result<bool> take_reset(std::vector<AccountingSetting>& settings) {
  bool resets = false;
  for (const AccountingSetting& setting : settings) {
    if (setting.name != "rawusage") continue;
    if (setting.value != "0")
      return Refusal{"RawUsage cannot be " + quoted(setting.value), "it can only be set to 0"};
    resets = true;
  }
  std::erase_if(settings, [](const AccountingSetting& s) { return s.name == "rawusage"; });
  return resets;
}

Failure check_accounting_name(std::string_view what, const std::string& name) {
  if (name.size() > limits::account_bytes_max)
    return Refusal{std::string(what) + " has " + std::to_string(name.size()) +
                       " bytes; the limit is " + std::to_string(limits::account_bytes_max),
                   "make it shorter"};
  if (is_host_name(name)) return std::nullopt;
  return Refusal{quoted(name) + " is not a valid name for " + std::string(what),
                 "use letters, digits, '.', '_' and '-'"};
}

}  // namespace cox
