// The flags of advance reservations: the one list of what may be given, what is shown, and what is
// set. The view cox.reservations shows the same ones (sql/views). Pure.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/cluster/advance_reservation.h"

namespace cox {

struct ReservationFlag {
  std::string_view name;   // as Slurm reads it
  std::string_view shown;  // as Slurm shows it
  void (*set)(AdvanceReservation& r, bool is_set);
  bool (*is_set)(const AdvanceReservation& r);
  Recurrence recurs = Recurrence::None;
};

inline constexpr std::string_view purge_flag = "PURGE_COMP";

// In the order in which they are shown.
std::span<const ReservationFlag> reservation_flags();

// {"MAINT", "DAILY", "PURGE_COMP=00:05:00"}: as Slurm shows them.
std::vector<std::string> flags_shown(const AdvanceReservation& r);
// "MAINT,DAILY"; empty: none.
std::string flags_text(const AdvanceReservation& r);

}  // namespace cox
