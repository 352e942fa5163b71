// Explains why this cluster can never run a request, for the refusal at submission. The constraints
// of the request are applied one after the other; the first that leaves too few nodes is reported.
// Pure.
#pragma once

#include <optional>
#include <string>

#include "schedule/model/nodes.h"
#include "schedule/model/request.h"

namespace cox::schedule {

// Returns why the request would not fit even if all nodes were idle and available, with a remedy.
// Empty: it would fit.
std::optional<std::string> impossible(const Nodes& nodes, const Request& request);

// Returns "; its nodes: n[1-4]; did you mean n1?", which follows "..., which is no node of this
// cluster". A long list of nodes is cut.
std::string known_nodes(const Nodes& nodes, const std::string& name);

}  // namespace cox::schedule
