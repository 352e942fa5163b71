#include "common/cluster/partition.h"

#include <algorithm>
#include <cctype>

#include "common/base/check.h"

namespace cox {

std::string_view name(PartitionState state) {
  switch (state) {
    case PartitionState::Up: return "UP";
    case PartitionState::Down: return "DOWN";
    case PartitionState::Drain: return "DRAIN";
    case PartitionState::Inactive: return "INACTIVE";
  }
  CHECK(false && "unknown PartitionState");
}

std::optional<PartitionState> partition_state_from(std::string_view word) {
  const auto same = [](char a, char b) { return std::toupper(static_cast<unsigned char>(a)) == b; };
  for (const PartitionState state :
       {PartitionState::Up, PartitionState::Down, PartitionState::Drain, PartitionState::Inactive})
    if (std::ranges::equal(word, name(state), same)) return state;
  return std::nullopt;
}

}  // namespace cox
