// Limit on the data that one node may contribute to a fence of an MPI program (StepGather). Each
// node gets the data of all nodes back in one message (StepGathered), which must fit a frame. Pure.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include "common/base/limits.h"

namespace cox {

// Bytes of a StepGathered besides the data.
inline constexpr std::size_t gathered_head_bytes = 1024;
// Bytes of a StepGathered that each node's data needs besides the data itself.
inline constexpr std::size_t gathered_part_bytes = 8;

// Returns the limit on one node's data in bytes: an equal share of the frame, since no node can see
// how much the others contribute.
constexpr std::size_t gather_bytes_max(std::int64_t nodes) {
  const auto count = static_cast<std::size_t>(std::max<std::int64_t>(nodes, 1));
  const std::size_t share = (limits::frame_bytes_max - gathered_head_bytes) / count;
  return share > gathered_part_bytes ? share - gathered_part_bytes : 0;
}

// Returns the error text for a node that contributes more.
inline std::string gather_refusal(std::size_t bytes, std::int64_t nodes) {
  return "a node sends " + std::to_string(bytes) + " bytes in one fence; the limit with " +
         std::to_string(nodes) + " nodes is " + std::to_string(gather_bytes_max(nodes)) +
         "; use fewer nodes, or start the program with its own mpirun or mpiexec";
}

}  // namespace cox
