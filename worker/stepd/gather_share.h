// How much one node may hand round in one fence of an MPI program (StepGather): what all nodes say
// goes back to each of them in one message (StepGathered), which must fit a frame. Pure.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include "common/base/limits.h"

namespace cox {

inline constexpr std::size_t gathered_head_bytes = 1024;  // of that message, round all of it
inline constexpr std::size_t gathered_part_bytes = 8;     // round what one node said

// Each node has the same share: none knows what the others will say.
constexpr std::size_t gather_bytes_max(std::int64_t nodes) {
  const auto count = static_cast<std::size_t>(std::max<std::int64_t>(nodes, 1));
  const std::size_t share = (limits::frame_bytes_max - gathered_head_bytes) / count;
  return share > gathered_part_bytes ? share - gathered_part_bytes : 0;
}

// For who wants to say more.
inline std::string gather_refusal(std::size_t bytes, std::int64_t nodes) {
  return "a node hands round " + std::to_string(bytes) + " bytes in one fence, and each of " +
         std::to_string(nodes) + " may " + std::to_string(gather_bytes_max(nodes)) +
         "; use fewer nodes, or start the program with its own mpirun or mpiexec";
}

}  // namespace cox
