// A group of AllowGroups that has not been looked up yet, or that the host lacks: it admits nobody.
// Used by the readers of partitions and by the controller's table of them. Pure.
#pragma once

#include <cstdint>
#include <limits>
#include <string>

#include "common/cluster/config.h"

namespace cox {

inline constexpr std::uint32_t group_of_nobody = std::numeric_limits<std::uint32_t>::max();

inline AllowedGroup unknown_group(const std::string& name) {
  return {name, group_of_nobody, {}};
}

inline bool is_unknown(const AllowedGroup& group) {
  return group.gid == group_of_nobody;
}

}  // namespace cox
