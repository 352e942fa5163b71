// A Connection to whichever of several controllers leads (Connection::open, when its endpoint names
// several). For common/io alone.
#pragma once

#include <memory>
#include <vector>

#include "common/io/link.h"

namespace cox {

std::unique_ptr<Connection> follow_leader(std::vector<std::unique_ptr<Connection>> controllers);

}  // namespace cox
