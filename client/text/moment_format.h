// Moments as people write them for --begin and --deadline. Slurm's forms. Pure.
//
//   16:00  4:30PM                              the next time that it is so; likewise:
//   midnight  elevenses  noon  fika  teatime   00:00, 11:00, 12:00, 15:00, 16:00
//   2026-12-24T18:00  2026-12-24  12/24/26     a day without a time begins at midnight
//   today  tomorrow  tomorrow 7:30
//   now+90  now+2hours  now + 3 days           seconds, minutes, hours, days, weeks
#pragma once

#include <cstdint>
#include <string_view>

#include "common/base/result.h"
#include "common/base/time.h"

namespace cox {

// Where and when the text is read. A day has the offset of now, also behind a change of the clocks.
struct LocalTime {
  Wall now{};
  std::int64_t utc_offset_s = 0;
};

// To the second. It may have passed.
Result<Wall> parse_local_moment(std::string_view text, const LocalTime& here);

// The same for --starttime and the like, which look back: 16:00 is today's, 12/24 the last one.
// Seconds since the epoch too, uts1790000000.
Result<Wall> parse_past_moment(std::string_view text, const LocalTime& here);

}  // namespace cox
