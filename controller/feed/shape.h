// The key of the shapes (what a job needs) that the controller has found possible
// (EngineFeed::known_possible()). Whether a job can ever run is the same for all jobs of one shape.
// Pure.
#pragma once

#include <compare>

#include "common/job/job.h"

namespace cox {

struct PossibleKey {
  JobNeeds shape;
  bool more_nodes_do = false;  // the controller may choose more nodes, since the user set no number
  auto operator<=>(const PossibleKey&) const = default;
};

}  // namespace cox
