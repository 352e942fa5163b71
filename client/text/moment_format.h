// Parses times as users write them, in Slurm's forms: for --begin, --deadline, reservations and
// sacct --starttime. Pure. The left column shows texts, the right one what they mean.
//
//   16:00  4:30PM                              this time today, or tomorrow if it has passed
//   midnight  elevenses  noon  fika  teatime   the same as 00:00, 11:00, 12:00, 15:00, 16:00
//   2026-12-24T18:00  2026-12-24  12/24/26     a date; without a time, midnight of that day
//   1224-18:00  2026-12-24-18:00               the same, with a dash before the time
//   today  tomorrow  tomorrow 7:30             a day; without a time, its midnight
//   now+90  now+2hours  now + 3 days           from now; units: seconds (default) to weeks
#pragma once

#include <string_view>

#include "common/base/result.h"
#include "common/base/time.h"
#include "common/base/time_zone.h"

namespace cox {

// The current time and the user's time zone, by which a text is parsed. Each time has the offset
// from UTC of its own day. A time that occurs twice, when clocks are set back, means the first one;
// a time that never occurs means the moment when clocks are set forward.
struct LocalTime {
  Wall now{};
  TimeZone zone;
};

// Parses a time for which an incomplete text means the next such time. The result is in whole
// seconds and may lie in the past (2020-01-01).
Result<Wall> parse_local_moment(std::string_view text, const LocalTime& here);

// Parses a time for options like sacct --starttime: 16:00 means today, and 12/24 the most recent 24
// December. Also accepts seconds since 1970, as 1790000000 or uts1790000000.
Result<Wall> parse_past_moment(std::string_view text, const LocalTime& here);

}  // namespace cox
