// Slurm's form of time limits. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "common/base/result.h"

namespace cox {

// Parses "minutes", "minutes:seconds", "hours:minutes:seconds", "days-hours", "days-hours:minutes"
// or "days-hours:minutes:seconds", and returns seconds. UNLIMITED, INFINITE, 0 and -1 mean no
// limit; the result is 0. Minutes after hours and seconds after minutes must be below 60 (5:99 is
// refused). Any other number may be as large as the longest time limit allows (60:00, 0-48).
Result<std::int64_t> parse_time_limit(std::string_view text);

// Returns "[days-]hours:minutes:seconds", two digits each; UNLIMITED for 0. parse_time_limit()
// reads it back.
std::string format_time_limit(std::int64_t seconds);

}  // namespace cox
