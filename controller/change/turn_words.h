// Names the content of a turn, so that tests can let the controller crash at such a turn
// (COX_CRASH_AT=store.after_commit@Start). The names are those of the triggers that moved jobs to
// another state, and the kinds of the recorded events. If several triggers lead from one state to
// the other, all their names are returned. For tests only.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "controller/change/change.h"

namespace cox {

// Returns the words: "Submitted", "GangReady", "EndedCompleted", "hold", "checkpoint", …
std::set<std::string> names_of(const std::vector<Change>& changes);

}  // namespace cox
