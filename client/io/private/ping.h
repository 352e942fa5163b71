// Pings each configured controller. An Asker (ask.h), in contrast, only gets answers from the
// leader.
#pragma once

#include <vector>

#include "client/setup/ping.h"
#include "common/io/link.h"

namespace cox {

// Returns one Ping per endpoint, in the order of the endpoints. The controllers are pinged one
// after another, and a silent one takes seconds.
std::vector<Ping> ping_controllers(const Connection::Options& options);

}  // namespace cox
