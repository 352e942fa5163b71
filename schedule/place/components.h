// A heterogeneous gang: several components, unlike each other, that start and end together. Each
// has nodes of its own. Called by place.cpp.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "schedule/model/resolved_request.h"
#include "schedule/model/room.h"

namespace cox::schedule {

// The request of a job of these components, in their order. REQUIRES: all have the same GRES; the
// licences are with the first.
Request together(std::vector<Request> components);

// Each alternative of one component with each of the others, the first ones first; at most so many.
// REQUIRES: of each component one at least; `together()` of each choice.
std::vector<Request> combined(const std::vector<std::vector<Request>>& alternatives,
                              std::size_t most);

// Its share of tasks of any of the components has place here; 0: of none.
std::int64_t tasks_of_components(const ResolvedRequest& need, const Room& room, NodeAt at);

// Exact: nodes for all components at once, no node for two, is a flow, found by augmenting paths
// (Ford and Fulkerson, 1956).
bool components_fit(const ResolvedRequest& need, const Room& room);

// The best nodes for one component after the other, those that have the least choice first; where
// that leaves one without, as the flow has it.
std::optional<GangParts> place_components(std::span<const NodeAt> some, const ResolvedRequest& need,
                                          const Nodes& nodes, const Room& room,
                                          std::span<const Room* const> preferred);

}  // namespace cox::schedule
