// The time zone of this machine (TZ, /etc/localtime), read into a value. For main.cpp of the
// controller, once at its start.
#pragma once

#include "common/time_zone.h"

namespace cox {

// Its changes from a year before `now` until so many years after it.
inline constexpr int zone_years_ahead = 50;
TimeZone read_local_zone(Wall now);

}  // namespace cox
