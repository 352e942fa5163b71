// What `scontrol reconfigure` warns of once the controller has restarted with its new settings.
// Pure.
#pragma once

#include <string>

#include "common/messages/messages.h"

namespace cox {

// Returns a line for the partitions that the cluster had before and that are gone, and one for the
// nodes that no partition has; "": there are none.
std::string restart_warnings(const NodeList& before, const NodeList& after);

}  // namespace cox
