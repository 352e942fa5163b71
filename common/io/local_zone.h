// Reads the time zone of this machine (TZ, /etc/localtime) into a value. The controller's main.cpp
// calls it once, at the start.
#pragma once

#include "common/base/time_zone.h"

namespace cox {

// Returns the zone with its changes from 1 year before `now` to zone_years_ahead years after `now`.
inline constexpr int zone_years_ahead = 50;
TimeZone read_local_zone(Wall now);

}  // namespace cox
