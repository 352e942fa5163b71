// The state of a partition that administrators change without a restart: the row of
// cox.partition. The configuration has its definition (common/cluster/config.h).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/fields.h"
#include "common/base/time.h"

namespace cox {

enum class PartitionState : std::uint8_t {
  Up,
  Down,      // accepts jobs and starts none
  Drain,     // accepts no jobs, but starts those that are pending
  Inactive,  // accepts no jobs and starts none
};
std::string_view name(PartitionState state);  // "UP", as in the SQL enum and in Slurm
std::optional<PartitionState> partition_state_from(std::string_view word);  // in any case

constexpr bool takes_jobs(PartitionState state) {
  return state == PartitionState::Up || state == PartitionState::Down;
}
constexpr bool starts_jobs(PartitionState state) {
  return state == PartitionState::Up || state == PartitionState::Drain;
}

struct Partition {
  std::string name;
  PartitionState state = PartitionState::Up;
  std::string reason;  // why it has this state, for people
  Wall changed{};
  // Settings such as {"Nodes=n[1-2]"} of a partition that was created at run time. Empty: it is in
  // the configuration.
  std::vector<std::string> made_with{};

  COX_FIELDS(name, state, reason, changed, made_with);
  bool operator==(const Partition&) const = default;
};

}  // namespace cox
