// Shows the outcome of a request that acts on jobs, nodes, partitions and so on: for each of them,
// what was done or why it was refused. Pure.
#pragma once

#include "client/text/screen.h"
#include "common/messages/messages.h"

namespace cox {

Shown show_acted(const Acted& acted, const Screen& screen);

}  // namespace cox
