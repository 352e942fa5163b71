#include "common/cluster/advance_reservation.h"

#include <algorithm>
#include <array>
#include <chrono>

#include "common/base/text.h"

namespace cox {
namespace {

using std::chrono::days;

constexpr Milliseconds hour = std::chrono::hours{1};
constexpr Milliseconds day = std::chrono::hours{24};
constexpr Milliseconds week = 7 * day;  // every recurrence repeats after a week

bool is_weekend(Wall moment) {
  const std::chrono::sys_days date =
      std::chrono::floor<days>(std::chrono::sys_time<Milliseconds>{moment.time_since_epoch()});
  const std::chrono::weekday weekday{date};
  return weekday == std::chrono::Saturday || weekday == std::chrono::Sunday;
}

bool occurs_on(Recurrence recurrence, Wall begin) {
  if (recurrence == Recurrence::Weekday) return !is_weekend(begin);
  if (recurrence == Recurrence::Weekend) return is_weekend(begin);
  return true;
}

Milliseconds period_of(Recurrence recurrence) {
  switch (recurrence) {
    case Recurrence::None: return Milliseconds{0};
    case Recurrence::Hourly: return hour;
    case Recurrence::Daily:
    case Recurrence::Weekday:
    case Recurrence::Weekend: return day;
    case Recurrence::Weekly: return week;
  }
  return Milliseconds{0};
}

// Returns the occurrences that overlap the time from `from` to `until`.
std::vector<Occurrence> occurrences_between(const AdvanceReservation& r, Wall from, Wall until) {
  std::vector<Occurrence> found;
  Occurrence next{r.begin, r.end};
  const Milliseconds period = period_of(r.recurrence);
  if (period > Milliseconds{0} && next.end <= from) {
    const auto passed = (from - next.end) / period;
    next = {next.begin + passed * period, next.end + passed * period};
  }
  do {
    if (next.end > from && next.begin < until && occurs_on(r.recurrence, next.begin))
      found.push_back(next);
    next = {next.begin + period, next.end + period};
  } while (period > Milliseconds{0} && next.begin < until);
  return found;
}

// Returns whether a list of users, accounts or QOS admits the name. A list that names nobody admits
// all names; "-ada" in the list excludes ada.
bool admits(const std::vector<std::string>& list, const std::string& name) {
  bool lists_some = false;
  bool listed = false;
  for (const std::string& one : list) {
    if (one == "-" + name) return false;
    if (one.starts_with("-")) continue;
    lists_some = true;
    listed = listed || one == name;
  }
  return listed || !lists_some;
}

}  // namespace

std::string_view name(Recurrence r) {
  constexpr std::array<std::string_view, 6> names{"none",   "hourly",  "daily",
                                                  "weekly", "weekday", "weekend"};
  return names[static_cast<std::size_t>(r)];
}

std::string access_text(const AdvanceReservation& r) {
  std::string text = r.maint ? "maintenance" : "";
  // A job may use the reservation only if each of the lists that are given names it.
  const auto add = [&text](const char* what, const std::vector<std::string>& names) {
    if (names.empty()) return;
    text += text.empty() ? "" : text == "maintenance" ? ", " : " and ";
    text += what + joined(names, ", ");
  };
  add(r.users.size() == 1 ? "user " : "users ", r.users);
  add(r.accounts.size() == 1 ? "account " : "accounts ", r.accounts);
  add("QOS ", r.qos);
  return text;
}

bool may_use(const AdvanceReservation& r, const JobSpec& spec,
             const std::vector<std::string>& accounts_above) {
  const bool names_some = !r.users.empty() || !r.accounts.empty() || !r.qos.empty();
  const auto is_above = [&](const std::string& account) {
    return std::ranges::find(accounts_above, account) != accounts_above.end();
  };
  const bool denied = std::ranges::find(r.accounts, "-" + spec.account) != r.accounts.end();
  const bool of_account =
      admits(r.accounts, spec.account) || (!denied && std::ranges::any_of(r.accounts, is_above));
  return names_some && admits(r.users, spec.user_name) && of_account && admits(r.qos, spec.qos);
}

std::vector<Occurrence> occurrences_of(const AdvanceReservation& r, Wall now, std::size_t most) {
  std::vector<Occurrence> found;
  Occurrence next{r.begin, r.end};
  const Milliseconds period = period_of(r.recurrence);
  if (period == Milliseconds{0}) {
    if (next.end > now) found.push_back(next);
    return found;
  }
  if (next.end <= now) {
    const auto passed = (now - next.end) / period;
    next = {next.begin + passed * period, next.end + passed * period};
  }
  for (; found.size() < most; next = {next.begin + period, next.end + period})
    if (next.end > now && occurs_on(r.recurrence, next.begin)) found.push_back(next);
  return found;
}

std::optional<Occurrence> first_overlap(const AdvanceReservation& a, const AdvanceReservation& b,
                                        Wall now) {
  const Wall from = std::max({now, a.begin, b.begin});
  const std::vector<Occurrence> all = occurrences_between(a, from, from + week);
  for (const Occurrence& other : occurrences_between(b, from, from + week))
    for (const Occurrence& one : all)
      if (one.begin < other.end && other.begin < one.end) return other;
  return std::nullopt;
}

}  // namespace cox
