// Places gangs on consecutive nodes (--contiguous). A gang takes a row of positions (nodes.h)
// without a gap, so its nodes are neighbours in the topology or, without a topology, by name.
// nearby.cpp calls it; explanations use its counts.
//
// Every node of such a gang gets an even part (ResolvedRequest::is_bound). So the gang fits in any
// row of enough candidates that contains its named nodes and its counted features. More free nodes
// only make rows longer, so they never prevent a fit.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "schedule/place/candidate.h"

namespace cox::schedule {

// Returns the candidates of the best row; empty if no row is close enough together. The best row is
// in the fewest leaf domains. Among these it belongs to the shortest run of candidates, to keep
// long runs whole; among equal ones it is the first. REQUIRES: enough candidates, in ascending
// order of nodes.
Candidates best_row(const ResolvedRequest& need, const Nodes& nodes, Candidates candidates);

// Returns the length of the longest run of consecutive nodes. REQUIRES: `at` is in ascending order.
std::int64_t longest_run(std::span<const NodeAt> at);

// Returns the length of the run that contains the node; 0 if `at` does not contain it. REQUIRES:
// `at` is in ascending order.
std::int64_t run_around(std::span<const NodeAt> at, NodeAt node);

}  // namespace cox::schedule
