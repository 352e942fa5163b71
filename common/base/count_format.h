// Numbers as people write them. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"

namespace cox {

// Decimal digits alone; refused outside [least, most].
Result<std::int64_t> parse_count(std::string_view text, std::int64_t least, std::int64_t most);

// "2", "0.8", "0.125": thousandths, so that they add up exactly. Refused outside [least, most].
Result<std::int64_t> parse_milli(std::string_view text, std::int64_t least, std::int64_t most);

// The shortest text that parse_milli reads as this. REQUIRES: not negative.
std::string format_milli(std::int64_t milli);

// Slurm's run lengths: 4,4,2 is "4(x2),2".
std::string run_lengths_text(const std::vector<std::int64_t>& counts);

}  // namespace cox
