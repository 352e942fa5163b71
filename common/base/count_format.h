// Parses and formats numbers. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"

namespace cox {

// Parses decimal digits alone, without a sign. Refuses a number outside [least, most].
Result<std::int64_t> parse_count(std::string_view text, std::int64_t least, std::int64_t most);

// Parses "2", "0.8" or "0.125" into thousandths: 2000, 800 or 125. Their sums are exact. Refuses a
// number outside [least, most], which are thousandths too.
Result<std::int64_t> parse_milli(std::string_view text, std::int64_t least, std::int64_t most);

// Returns the shortest text from which parse_milli() gets `milli` thousandths. REQUIRES: milli is
// not negative.
std::string format_milli(std::int64_t milli);

// Formats a list of counts as Slurm does, with repetitions: 4,4,2 becomes "4(x2),2".
std::string run_lengths_text(const std::vector<std::int64_t>& counts);

}  // namespace cox
