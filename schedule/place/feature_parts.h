// Gangs of which some nodes must have one feature and some another (a*2&b*4): which nodes can stand
// for which part, no node for two. Called by place.cpp.
#pragma once

#include <vector>

#include "schedule/place/candidate.h"

namespace cox::schedule {

inline constexpr std::size_t feature_parts_max = 8;  // of one gang

// Exact, by Hall's theorem: for each set of parts there are nodes enough that serve one of them.
// REQUIRES: at most feature_parts_max parts.
bool parts_are_served(const ResolvedRequest& need, Candidates candidates);

// The nodes of the gang, the first ones where there is a choice; empty: it cannot be. Nodes that
// can be in one choice together form a transversal matroid, so that taking each that leaves the
// rest possible finds the best (Edmonds and Fulkerson, 1965).
std::vector<Candidate> choose_parts(const ResolvedRequest& need,
                                    const std::vector<Candidate>& sorted);

}  // namespace cox::schedule
