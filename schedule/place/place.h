// Where a whole gang fits: all of its nodes or nothing, on the nodes whose badness is least.
// Feasibility is exact: when any placement exists, one is found. More room never makes a gang fit
// less.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "schedule/model/resolved_request.h"
#include "schedule/model/room.h"
#include "schedule/place/badness.h"

namespace cox::schedule {

// The GPUs of one part of the gang are there: of its types, joined where that is asked for.
bool has_gpus(const ResolvedRequest& need, const Room& room, NodeAt at);

// It wants all the memory of each of its nodes, and others have some of this one's.
bool lacks_whole_memory(const ResolvedRequest& need, const NodeRoom& here, NodeAt at);

// How many of the gang's tasks this node could hold beside what its memory and GPUs allow.
std::int64_t tasks_that_fit(const ResolvedRequest& need, const Room& room, NodeAt at);

// The gang on these nodes, an equal part on each. REQUIRES: they hold it.
GangParts even_shares(const ResolvedRequest& need, const Nodes& nodes, const Room& room,
                      const std::vector<NodeAt>& at);

bool fits(const ResolvedRequest& need, const Room& room);

// `preferred`: rooms in which a node had better have place already, the fewest misses first.
std::optional<GangParts> place(const ResolvedRequest& need, const Nodes& nodes, const Room& room,
                               std::span<const Room* const> preferred = {});

// The same, of these usable nodes alone (ascending): whoever knows that no others hold a part
// spares looking at them.
std::optional<GangParts> place_among(std::span<const NodeAt> some, const ResolvedRequest& need,
                                     const Nodes& nodes, const Room& room,
                                     std::span<const Room* const> preferred = {});

// The same for heterogeneous gangs (place_components.cpp), whose components are placed one by one
// with the functions above. Called by those functions alone.

// Returns the gang's even number of tasks if the node holds its part of any component, else 0.
std::int64_t tasks_of_components(const ResolvedRequest& need, const Room& room, NodeAt at);

// Exact: whether nodes can be found for all components at once, no node for two of them. This is a
// flow, which augmenting paths find (Ford and Fulkerson, 1956).
bool components_fit(const ResolvedRequest& need, const Room& room);

// Places one component after the other on the best nodes, those with the least choice first. If one
// of them then finds no nodes, the nodes are divided as the flow has it.
std::optional<GangParts> place_components(std::span<const NodeAt> some, const ResolvedRequest& need,
                                          const Nodes& nodes, const Room& room,
                                          std::span<const Room* const> preferred);

}  // namespace cox::schedule
