// The lists of --cpu-bind and --gpu-bind: an entry for each task of a node, in turns. One of a map
// is a number, one of a mask the bits of a number.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"

namespace cox {

using IdSet = std::vector<std::int32_t>;  // ascending

Result<std::vector<IdSet>> parse_map(std::string_view text);    // "0,0x2", "3*2" is "3,3"
Result<std::vector<IdSet>> parse_masks(std::string_view text);  // "0x3,c", "f*2"

std::string mask_text(const IdSet& ids);  // "0x3"

}  // namespace cox
