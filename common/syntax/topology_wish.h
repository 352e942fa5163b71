// How near to each other a job wants its nodes. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "common/base/result.h"

namespace cox {

// --switches=COUNT[@TIME]: on at most so many leaf switches; after that time, on any.
struct SwitchesWish {
  std::int64_t count = 0;              // 0: not asked
  std::optional<std::int64_t> wait_s;  // 0: for as long as it takes; nothing: as configured

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.count, self.wait_s);
  }
  bool operator==(const SwitchesWish&) const = default;
};

// The time is written as time limits are (time_format.h): 5 is five minutes, 0 and UNLIMITED wait
// for as long as it takes.
Result<SwitchesWish> parse_switches(std::string_view text);
std::string format_switches(const SwitchesWish& wish);

enum class TopologyForce : std::uint8_t { None, Preferred, Required };

// --topology=required:LEVEL: all nodes in one domain of that level, like "leaf"; of "nvlink", the
// GPUs of each node joined (gpu_islands.h). Preferred: where that can be had at once. Which levels
// there are above the node, the cluster's configuration tells.
struct TopologyWish {
  TopologyForce force = TopologyForce::None;
  std::string level;

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.force, self.level);
  }
  bool operator==(const TopologyWish&) const = default;
};

Result<TopologyWish> parse_topology_wish(std::string_view text);
std::string format_topology_wish(const TopologyWish& wish);  // "" for none

}  // namespace cox
