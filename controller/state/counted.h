// Texts of counts, for messages to people. Pure.
#pragma once

#include <cstdint>
#include <string>

namespace cox {

// Returns "1 node", "2 nodes". REQUIRES: the plural of `one` ends in an s.
inline std::string counted(std::int64_t count, const std::string& one) {
  return std::to_string(count) + " " + one + (count == 1 ? "" : "s");
}

}  // namespace cox
