// Reads the time zone of this machine (TZ, /etc/localtime) into a value. The controller's main.cpp
// calls it once, at the start.
#pragma once

#include "common/base/time_zone.h"

namespace cox {

// read_local_zone() returns the time zone with its changes from one year before `now` to
// zone_years_ahead years after it.
inline constexpr int zone_years_ahead = 50;
TimeZone read_local_zone(Wall now);

}  // namespace cox
