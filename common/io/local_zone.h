// Reads the time zone of this process (TZ, /etc/localtime) into a value. The controller's main.cpp
// and each client command call it once, at the start.
#pragma once

#include "common/base/time_zone.h"

namespace cox {

// The span around now of which the changes are read.
struct ZoneYears {
  int behind = 1;
  int ahead = 50;
};
TimeZone read_local_zone(Wall now, ZoneYears years = {});

}  // namespace cox
