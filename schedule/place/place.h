// Places a whole gang on the nodes with the least badness: on all of its nodes or not at all.
// Feasibility is exact: if a placement exists, one is found. More room never makes a gang fit less.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "schedule/model/resolved_request.h"
#include "schedule/model/room.h"
#include "schedule/place/badness.h"

namespace cox::schedule {

// Returns whether the node has the GPUs of one part of the gang free: of an accepted type, and
// joined if that is required.
bool has_gpus(const ResolvedRequest& need, const Room& room, NodeAt at);

// Returns whether the gang needs all memory of each node and some of this node's memory is in use.
bool lacks_whole_memory(const ResolvedRequest& need, const NodeRoom& here, NodeAt at);

// Returns how many of the gang's tasks the node can hold; 0 if its memory, GPUs or GRES do not
// suffice for a part.
std::int64_t tasks_that_fit(const ResolvedRequest& need, const Room& room, NodeAt at);

// Returns the gang on these nodes, an equal part on each. REQUIRES: they hold it.
GangParts even_shares(const ResolvedRequest& need, const Nodes& nodes, const Room& room,
                      const std::vector<NodeAt>& at);

// Returns whether the gang can be placed.
bool fits(const ResolvedRequest& need, const Room& room);

// Returns a placement; empty if there is none. `preferred`: rooms in which a node should also have
// place; nodes that miss fewer of them come first.
std::optional<GangParts> place(const ResolvedRequest& need, const Nodes& nodes, const Room& room,
                               std::span<const Room* const> preferred = {});

// Places like place(), but only on the nodes `some` (ascending), for callers that have found that
// no other node fits.
std::optional<GangParts> place_among(std::span<const NodeAt> some, const ResolvedRequest& need,
                                     const Nodes& nodes, const Room& room,
                                     std::span<const Room* const> preferred = {});

// The functions below are for heterogeneous gangs (place_components.cpp). Only the functions above
// call them; they place each component with the functions above.

// Returns the gang's even number of tasks if the node holds its part of any component, else 0.
std::int64_t tasks_of_components(const ResolvedRequest& need, const Room& room, NodeAt at);

// Returns whether all components can get nodes at once, no node for two of them. Exact: a flow,
// found by augmenting paths (Ford and Fulkerson, 1956).
bool components_fit(const ResolvedRequest& need, const Room& room);

// Places one component after the other on the best nodes; those with the fewest spare nodes come
// first. If a component then finds no nodes, the nodes are divided by the flow.
std::optional<GangParts> place_components(std::span<const NodeAt> some, const ResolvedRequest& need,
                                          const Nodes& nodes, const Room& room,
                                          std::span<const Room* const> preferred);

}  // namespace cox::schedule
