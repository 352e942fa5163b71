// The requests of heterogeneous jobs: several different components that start and end together,
// each on nodes of its own.
#pragma once

#include <cstddef>
#include <vector>

#include "schedule/model/request.h"

namespace cox::schedule {

// Returns the request of a job with these components, in their order. REQUIRES: all have the same
// GRES; only the first has the licences.
Request together(std::vector<Request> components);

// Returns together() for each combination of alternatives, one per component, the first
// alternatives first; at most `most` combinations. REQUIRES: at least one alternative per
// component.
std::vector<Request> combined(const std::vector<std::vector<Request>>& alternatives,
                              std::size_t most);

}  // namespace cox::schedule
