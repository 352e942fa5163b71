// Nodes next to one another (--contiguous): a gang takes a row of positions (nodes.h) without a
// gap, so its nodes are neighbours along the topology and, where there is none, by name. Called by
// nearby.cpp, and by the explanations for numbers.
//
// Every node of such a gang holds an even part (Need::is_bound), so a row of enough candidates
// holds it whenever the nodes that it names and the features it counts are among them. More room
// only makes rows longer, so it never makes the gang fit less.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "schedule/candidate.h"

namespace cox::schedule {

// Returns the candidates of the best row; empty: there is no row as near together as it must be.
// The best is in the fewest leaf domains; of these it is part of the shortest run of candidates, so
// that long runs stay whole; of equal ones it is the first. REQUIRES: ascending by node, and
// enough.
Candidates best_row(const Need& need, const Nodes& nodes, Candidates candidates);

// Returns how many of these nodes (ascending) the longest run without a gap has.
std::int64_t longest_run(std::span<const NodeAt> at);

// Returns how many the run has that the node is in. REQUIRES: as above; 0: it is not among them.
std::int64_t run_around(std::span<const NodeAt> at, NodeAt node);

}  // namespace cox::schedule
