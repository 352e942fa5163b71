#include "common/cluster/reservation_flags.h"

#include "common/base/text.h"
#include "common/base/time_format.h"

namespace cox {
namespace {

constexpr std::int64_t purge_idle_s_usual = 300;  // as in Slurm

template <auto field>
constexpr ReservationFlag plain(std::string_view name, std::string_view shown) {
  return {name, shown, [](AdvanceReservation& r, bool is_set) { r.*field = is_set; },
          [](const AdvanceReservation& r) { return r.*field; }};
}

template <Recurrence recurrence>
constexpr ReservationFlag recurring(std::string_view name) {
  const auto set = [](AdvanceReservation& r, bool is_set) {
    if (is_set) {
      r.recurrence = recurrence;
    } else if (r.recurrence == recurrence) {
      r.recurrence = Recurrence::None;
    }
  };
  return {name, name, set, [](const AdvanceReservation& r) { return r.recurrence == recurrence; },
          recurrence};
}

using R = AdvanceReservation;

constexpr ReservationFlag flags[] = {
    plain<&R::maint>("MAINT", "MAINT"),
    plain<&R::magnetic>("MAGNETIC", "MAGNETIC"),
    plain<&R::flex>("FLEX", "FLEX"),
    plain<&R::overlap>("OVERLAP", "OVERLAP"),
    plain<&R::ignore_jobs>("IGNORE_JOBS", "IGNORE_JOBS"),
    plain<&R::static_alloc>("STATIC_ALLOC", "STATIC"),
    plain<&R::replace_down>("REPLACE_DOWN", "REPLACE_DOWN"),
    recurring<Recurrence::Hourly>("HOURLY"),
    recurring<Recurrence::Daily>("DAILY"),
    recurring<Recurrence::Weekly>("WEEKLY"),
    recurring<Recurrence::Weekday>("WEEKDAY"),
    recurring<Recurrence::Weekend>("WEEKEND"),
    {purge_flag, purge_flag,
     [](R& r, bool is_set) { r.purge_idle_s = is_set ? purge_idle_s_usual : 0; },
     [](const R& r) { return r.purge_idle_s > 0; }},
};

}  // namespace

std::span<const ReservationFlag> reservation_flags() {
  return flags;
}

std::vector<std::string> flags_shown(const AdvanceReservation& r) {
  std::vector<std::string> shown;
  for (const ReservationFlag& flag : reservation_flags()) {
    if (!flag.is_set(r)) continue;
    shown.emplace_back(flag.shown);
    if (flag.name == purge_flag) shown.back() += "=" + format_time_limit(r.purge_idle_s);
  }
  return shown;
}

std::string flags_text(const AdvanceReservation& r) {
  return joined(flags_shown(r), ",");
}

}  // namespace cox
