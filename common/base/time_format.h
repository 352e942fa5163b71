// Time limits as Slurm writes them. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "common/base/result.h"

namespace cox {

// "minutes", "minutes:seconds", "hours:minutes:seconds", "days-hours", "days-hours:minutes",
// "days-hours:minutes:seconds"; UNLIMITED, INFINITE, -1 and 0 are no limit, which is 0. The first
// number may be as large as the limit allows (60:00, 0-48), the others not (5:99).
Result<std::int64_t> parse_time_limit(std::string_view text);

// "[days-]hours:minutes:seconds", two digits each; 0 is UNLIMITED. parse_time_limit reads it back.
std::string format_time_limit(std::int64_t seconds);

}  // namespace cox
