#include "common/partition.h"

#include <algorithm>
#include <cctype>

#include "common/check.h"

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

std::vector<std::string_view> partition_names(std::string_view names) {
  std::vector<std::string_view> found;
  for (std::size_t from = 0; from <= names.size();) {
    const std::size_t to = std::min(names.find(',', from), names.size());
    const std::string_view one = names.substr(from, to - from);
    if (!one.empty() && std::ranges::find(found, one) == found.end()) found.push_back(one);
    from = to + 1;
  }
  return found;
}

bool names_partition(std::string_view names, std::string_view partition) {
  const std::vector<std::string_view> all = partition_names(names);
  return std::ranges::find(all, partition) != all.end();
}

}  // namespace cox
