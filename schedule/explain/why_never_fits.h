// Requests that this cluster could never serve, for a refusal at submission. The wishes of a
// request are judged one after the other; the first that leaves too few nodes is reported. Pure.
#pragma once

#include <optional>
#include <string>

#include "schedule/model/nodes.h"
#include "schedule/model/request.h"

namespace cox::schedule {

// Returns why the request would not fit even if all nodes were idle and available, and what to do
// about it. Nothing: it could be served.
std::optional<std::string> impossible(const Nodes& nodes, const Request& request);

}  // namespace cox::schedule
