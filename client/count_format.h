// Whole numbers as people write them. Pure.
#pragma once

#include <cstdint>
#include <string_view>

#include "common/result.h"

namespace cox {

// Decimal digits alone; refused outside [least, most].
Result<std::int64_t> parse_count(std::string_view text, std::int64_t least, std::int64_t most);

}  // namespace cox
