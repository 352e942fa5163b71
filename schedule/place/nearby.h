// How near to each other the nodes of a gang are: which domains of the topology it goes to. Called
// by place.cpp.
//
//   consecutive nodes         a row of positions without a gap (contiguous.h)
//   one level asked for       the domain of that level that holds it and has the fewest nodes to
//                             spare; in none, it waits
//   so many switches at most  the leaves with most nodes for it, the last one as small as will do
//                             (of several, not exact with features of parts: admission refuses it)
//   nothing asked             the same, from the lowest level upwards; where no domain holds it, as
//                             few leaves as will do
// (Slurm's topology/tree and Kueue's BestFit: algorithms of both are this one.)
#pragma once

#include <vector>

#include "schedule/place/candidate.h"

namespace cox::schedule {

// Those of the candidates that it goes to; empty: it fits nowhere as near as it must be.
// REQUIRES: ascending by node, and enough.
std::vector<Candidate> nearby(const ResolvedRequest& need, const Nodes& nodes,
                              std::vector<Candidate> candidates);

// Whether it fits as near as it must be. REQUIRES: as nearby().
bool fits_nearby(const ResolvedRequest& need, const Nodes& nodes, Candidates candidates);

}  // namespace cox::schedule
