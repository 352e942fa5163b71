// The rules of a time zone as a value: the offset of local clocks from UTC, and the moments when
// the offset changes. The controller and each client command read their zone once, at their start
// (common/io/local_zone.h). Computations of local time take the zone as a parameter. Pure.
//
// A local time is the number of seconds since 1970-01-01 00:00 on a local clock. It may lie in a
// gap where clocks are set forward.
#pragma once

#include <cstdint>
#include <vector>

#include "common/base/time.h"

namespace cox {

struct TimeZone {
  struct Change {
    std::int64_t at_s = 0;      // moment of the change, in seconds since the Unix epoch
    std::int64_t offset_s = 0;  // local time minus UTC after the change
    bool operator==(const Change&) const = default;
  };
  std::int64_t offset_s = 0;    // local time minus UTC before the first change
  std::vector<Change> changes;  // by time
  bool operator==(const TimeZone&) const = default;
};

// Returns the local time at the moment, in whole seconds.
std::int64_t local_seconds(const TimeZone& zone, Wall moment);

// Returns the first moment at which local clocks show this local time or a later one. If the local
// time occurs twice, that is the first occurrence; if it lies in a gap, the moment after the gap.
Wall moment_of_local(const TimeZone& zone, std::int64_t local_s);

}  // namespace cox
