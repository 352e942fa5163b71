// The flags of advance reservations: their names, and how each is set. The view cox.reservations
// shows the same flags (sql/views). Pure.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/cluster/advance_reservation.h"

namespace cox {

struct ReservationFlag {
  std::string_view name;   // the name that Slurm accepts
  std::string_view shown;  // the name that Slurm shows
  void (*set)(AdvanceReservation& r, bool is_set);
  bool (*is_set)(const AdvanceReservation& r);
  Recurrence recurs = Recurrence::None;
};

inline constexpr std::string_view purge_flag = "PURGE_COMP";

// Returns all flags in the order in which they are shown.
std::span<const ReservationFlag> reservation_flags();

// Returns the flags as Slurm shows them: {"MAINT", "DAILY", "PURGE_COMP=00:05:00"}.
std::vector<std::string> flags_shown(const AdvanceReservation& r);
// Returns the flags in one text, "MAINT,DAILY"; empty if there are none.
std::string flags_text(const AdvanceReservation& r);

}  // namespace cox
