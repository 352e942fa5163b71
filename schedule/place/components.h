// The requests of heterogeneous jobs: several components, unlike each other, that start and end
// together, each on nodes of its own.
#pragma once

#include <cstddef>
#include <vector>

#include "schedule/model/request.h"

namespace cox::schedule {

// The request of a job of these components, in their order. REQUIRES: all have the same GRES; the
// licences are with the first.
Request together(std::vector<Request> components);

// Each alternative of one component with each of the others, the first ones first; at most so many.
// REQUIRES: of each component one at least; `together()` of each choice.
std::vector<Request> combined(const std::vector<std::vector<Request>>& alternatives,
                              std::size_t most);

}  // namespace cox::schedule
