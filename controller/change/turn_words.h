// What a turn holds, in words that a crash point can be given
// (COX_CRASH_AT=store.after_commit@Start): the triggers that moved jobs, and the kinds of what was
// noted or added besides. A way between two states that several triggers share bears all their
// names. For tests alone; nothing follows from it.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "controller/change/change.h"

namespace cox {

// "Submitted", "GangReady", "EndedCompleted", "hold", "checkpoint", …
std::set<std::string> words_of(const std::vector<Change>& changes);

}  // namespace cox
