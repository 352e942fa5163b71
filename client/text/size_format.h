// Parses memory sizes as users write them for Slurm. Pure.
#pragma once

#include <cstdint>
#include <string_view>

#include "common/base/result.h"

namespace cox {

// Returns the size in MB. The text is a whole number of MB, or a number with a unit: K, M, G, T or
// P, also as "4GB" or "4GiB", in any case. Units are powers of 1024; a part of a MB is rounded up.
// 0 is a valid size: --mem=0 means all memory of the node. In JobSpec::memory_mb_per_node, 0 means
// that no memory was requested.
Result<std::int64_t> parse_memory_mb(std::string_view text);

}  // namespace cox
