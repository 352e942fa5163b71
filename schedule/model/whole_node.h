// The amounts that limits of resource time (such as GrpTRESMins) count for each node of an
// exclusive job: everything that the node has. Before the job is placed, the largest node that it
// could get counts, so that the job never uses more than its limits allowed when it started.
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

  void reach(const NodeResources& total);  // raises each amount to at least that of `total`

  // Returns the amount of this resource on the node. Empty for resources (such as licences) of
  // which even an exclusive job counts only what it asks for.
  std::optional<std::int64_t> amount(const TresCount& what) const;
};

WholeNode largest_of(const Nodes& nodes, std::span<const NodeAt> at);
WholeNode largest_of(const Nodes& nodes, const Placement& placement);

}  // namespace cox::schedule
