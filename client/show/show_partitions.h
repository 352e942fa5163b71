// Shows the states, limits and rules of the partitions. Pure.
#pragma once

#include <string>

#include "client/text/screen.h"
#include "common/messages/messages.h"

namespace cox {

std::string show_partitions(const NodeList& list, const Screen& screen);
// Returns lines about partitions that are not UP, or that their hours (Hours=) close now. Empty if
// there are none.
std::string closed_partitions_text(const NodeList& list, const Screen& screen);

}  // namespace cox
