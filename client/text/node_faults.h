// The nodes that the system has drained for a fault of their own, for `cox doctor` and
// `cox status`. Nodes that a person has drained are not among them. Pure.
#pragma once

#include <string>
#include <vector>

#include "common/messages/messages.h"

namespace cox {

// Nodes that were drained in the same way and for the same reason.
struct NodeFault {
  std::vector<std::string> nodes;
  DrainedBy by = DrainedBy::Nobody;
  std::string reason;
};

// In the order of the first nodes.
std::vector<NodeFault> node_faults(const std::vector<NodeView>& nodes);
// Returns "n[1-2] are drained for a fault of their own: <reason>".
std::string fault_text(const NodeFault& fault);
// Returns what the operator should do.
std::string fault_hint(const NodeFault& fault);

}  // namespace cox
