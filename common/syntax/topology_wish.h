// The options --switches and --topology: how close to each other the nodes of a job must be. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "common/base/fields.h"
#include "common/base/result.h"

namespace cox {

// The option --switches=COUNT[@TIME]: the job waits up to TIME for nodes below at most COUNT leaf
// switches; after that it accepts any number.
struct SwitchesWish {
  std::int64_t count = 0;  // 0: not asked
  // How long the job waits for so few switches. 0: without limit; nothing: for max_switch_wait.
  std::optional<std::int64_t> wait_s;

  COX_FIELDS(count, wait_s);
  bool operator==(const SwitchesWish&) const = default;
};

// Parses COUNT[@TIME]. The time has the form of time limits (time_format.h): 5 is five minutes; 0
// and UNLIMITED mean without limit.
Result<SwitchesWish> parse_switches(std::string_view text);
std::string format_switches(const SwitchesWish& wish);

enum class TopologyForce : std::uint8_t { None, Preferred, Required };

// The option --topology=required:LEVEL: all nodes must be in one domain of that level, such as
// below one "leaf" switch. With the level "nvlink" the GPUs of each node must be linked
// (gpu_islands.h). With "preferred" this is done only if it is possible at once. The configuration
// names the levels above the node.
struct TopologyWish {
  TopologyForce force = TopologyForce::None;
  std::string level;

  COX_FIELDS(force, level);
  bool operator==(const TopologyWish&) const = default;
};

Result<TopologyWish> parse_topology_wish(std::string_view text);
std::string format_topology_wish(const TopologyWish& wish);  // "" for none

}  // namespace cox
