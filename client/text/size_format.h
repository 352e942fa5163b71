// Memory sizes as Slurm writes them. Pure.
#pragma once

#include <cstdint>
#include <string_view>

#include "common/base/result.h"

namespace cox {

// A whole number of MB, or with a unit: K, M, G, T, P, also as "4GB" or "4GiB", in any case; all
// are powers of 1024, and parts of a MB are rounded up. 0 is 0: Slurm's "all of the node's memory",
// which JobSpec knows only as "not asked".
Result<std::int64_t> parse_memory_mb(std::string_view text);

}  // namespace cox
