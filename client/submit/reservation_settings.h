// Settings of advance reservations, as a command line has them. Pure.
#pragma once

#include <string>
#include <vector>

#include "client/text/moment_format.h"
#include "common/base/result.h"

namespace cox {

// Moments become those that the controller reads, whatever the time here.
Failure settle_reservation_moments(std::vector<std::string>& settings, const LocalTime& here);

// ReservationName=NAME, scontrol's form of it, wherever it stands; else the first word is the name.
void settle_reservation_name(std::string& name, std::vector<std::string>& settings);

}  // namespace cox
