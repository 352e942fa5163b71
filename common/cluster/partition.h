// The state of a partition that people change without a restart: the row of cox.partition. Its
// definition is in the configuration (common/cluster/config.h).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/time.h"

namespace cox {

enum class PartitionState : std::uint8_t {
  Up,
  Down,      // jobs may be submitted, and none starts
  Drain,     // none may be submitted, and those that wait start
  Inactive,  // neither
};
std::string_view name(PartitionState state);  // "UP", as the SQL enum and Slurm
std::optional<PartitionState> partition_state_from(std::string_view word);  // in whatever case

constexpr bool takes_jobs(PartitionState state) {
  return state == PartitionState::Up || state == PartitionState::Down;
}
constexpr bool starts_jobs(PartitionState state) {
  return state == PartitionState::Up || state == PartitionState::Drain;
}

struct Partition {
  std::string name;
  PartitionState state = PartitionState::Up;
  std::string reason;  // of the state, for people
  Wall changed{};
  // Its settings, {"Nodes=n[1-2]"}, if it was made while the cluster runs; empty: configured.
  std::vector<std::string> made_with{};

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.name, self.state, self.reason, self.changed, self.made_with);
  }
  bool operator==(const Partition&) const = default;
};

}  // namespace cox
