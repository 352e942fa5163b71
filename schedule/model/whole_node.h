// What a job that has its nodes to itself is charged by the minute: all of each of them. Before it
// is placed it counts the largest that it may get, so that it never uses more than it was let start
// for.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>

#include "schedule/model/nodes.h"

namespace cox::schedule {

struct WholeNode {
  std::int64_t cpus = 0;
  std::int64_t memory_mb = 0;
  std::int64_t gpus = 0;
  std::map<std::string, std::int64_t> gpus_of_type;

  void reach(const NodeResources& total);  // at least as much of each

  // How much of this there is on it; none: jobs count what they ask for of it, whole nodes or not.
  std::optional<std::int64_t> amount(const TresCount& what) const;
};

WholeNode largest_of(const Nodes& nodes, std::span<const NodeAt> at);
WholeNode largest_of(const Nodes& nodes, const Placement& placement);

}  // namespace cox::schedule
