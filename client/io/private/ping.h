// Asks each of the controllers that are named: whoever asks a question hears the one that leads
// alone (ask.h).
#pragma once

#include <vector>

#include "client/setup/ping.h"
#include "common/io/link.h"

namespace cox {

// One for each endpoint of the options, in their order. One after another: each may take seconds.
std::vector<Ping> ping_controllers(const Connection::Options& options);

}  // namespace cox
