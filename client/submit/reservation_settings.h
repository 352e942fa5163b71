// Converts settings of advance reservations from the command line. Pure.
#pragma once

#include <string>
#include <vector>

#include "client/text/moment_format.h"
#include "common/base/result.h"

namespace cox {

// Converts local times in settings such as StartTime=now+1hour to UTC, in the controller's format.
// Fails if a time is wrong.
Failure resolve_reservation_moments(std::vector<std::string>& settings, const LocalTime& here);

// `name` is the first word of the command, `settings` has the others. If one of the words is
// ReservationName=NAME, as for scontrol, sets `name` to NAME; otherwise the first word is the name.
void resolve_reservation_name(std::string& name, std::vector<std::string>& settings);

}  // namespace cox
