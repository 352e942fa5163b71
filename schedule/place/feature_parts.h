// Gangs that need some nodes with one feature and some with another (a*2&b*4): which nodes serve
// which part. No node serves two. Called by place.cpp.
#pragma once

#include <vector>

#include "schedule/place/candidate.h"

namespace cox::schedule {

inline constexpr std::size_t feature_parts_max = 8;  // of one gang

// Returns whether every part can be served. Exact, by Hall's theorem: for each set of parts, enough
// nodes serve at least one of them. REQUIRES: at most feature_parts_max parts.
bool parts_are_served(const ResolvedRequest& need, Candidates candidates);

// Returns the nodes of the gang, preferring those at the front; empty if there is no choice. Nodes
// that can be chosen together form a transversal matroid. So taking each node that leaves the rest
// possible gives the best choice (Edmonds and Fulkerson, 1965).
std::vector<Candidate> choose_parts(const ResolvedRequest& need,
                                    const std::vector<Candidate>& sorted);

}  // namespace cox::schedule
