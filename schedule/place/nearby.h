// Chooses the domains of the topology for a gang, so that its nodes are near each other. Called by
// place.cpp. By what the request requires:
//
//   consecutive nodes        a row of positions without a gap (contiguous.h)
//   one domain of a level    the domain that holds the gang and has the fewest nodes to spare; if
//                            none holds it, the job waits
//   at most N leaf switches  the leaves with most nodes for the gang, the last one as small as
//                            possible (not exact for several leaves together with counted
//                            features: admission refuses that)
//   nothing                  one domain as above, of the lowest level that has one; if no domain
//                            holds the gang, as few leaves as possible
// Slurm's topology/tree and Kueue's BestFit are this algorithm.
#pragma once

#include <vector>

#include "schedule/place/candidate.h"

namespace cox::schedule {

// Returns the candidates that the gang should be placed on; empty if no choice is near enough.
// REQUIRES: enough candidates, in ascending order of nodes.
std::vector<Candidate> nearby(const ResolvedRequest& need, const Nodes& nodes,
                              std::vector<Candidate> candidates);

// Returns whether nearby() would find candidates. REQUIRES: as for nearby().
bool fits_nearby(const ResolvedRequest& need, const Nodes& nodes, Candidates candidates);

}  // namespace cox::schedule
