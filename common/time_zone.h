// The rules of a time zone as a value: how far the clocks of its people are from UTC, and when that
// changes. The controller's own is read once, at its start (common/io/local_zone.h); whatever is
// computed by local time takes it as a parameter. Pure.
//
// A local time is written as the seconds since 1970-01-01 00:00 that a clock on the wall would
// count, whether or not there is such a moment.
#pragma once

#include <cstdint>
#include <vector>

#include "common/time.h"

namespace cox {

struct TimeZone {
  struct Change {
    std::int64_t at_s = 0;      // since the Unix epoch
    std::int64_t offset_s = 0;  // what local time is ahead of UTC from then on
    bool operator==(const Change&) const = default;
  };
  std::int64_t offset_s = 0;    // before the first change
  std::vector<Change> changes;  // in order
  bool operator==(const TimeZone&) const = default;
};

// What clocks show at the moment: whole seconds.
std::int64_t local_seconds(const TimeZone& zone, Wall moment);

// Returns the first moment at which clocks show this local time or a later one. So a local time
// that comes twice means the first time, and one that is left out means the moment after the gap.
Wall moment_of_local(const TimeZone& zone, std::int64_t local_s);

}  // namespace cox
