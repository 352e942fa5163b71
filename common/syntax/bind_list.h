// The lists of --cpu-bind and --gpu-bind. Task k of a node uses entry k of the list; if there are
// more tasks than entries, the list is repeated. An entry of a map is a number; an entry of a mask
// is a set of numbers, written as bits.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"

namespace cox {

using IdSet = std::vector<std::int32_t>;  // ascending

// Reads "0,0x2"; "3*2" stands for "3,3".
Result<std::vector<IdSet>> parse_map(std::string_view text);
Result<std::vector<IdSet>> parse_masks(std::string_view text);  // "0x3,c", "f*2"

std::string mask_text(const IdSet& ids);  // "0x3"

}  // namespace cox
