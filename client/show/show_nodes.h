// Shows the nodes in a table, and everything about one of them. Pure.
#pragma once

#include <string>

#include "client/text/screen.h"
#include "common/messages/messages.h"

namespace cox {

std::string show_nodes(const NodeList& list, const Screen& screen);
std::string show_node(const NodeView& view, const Screen& screen);

}  // namespace cox
