// A Connection to the leader among several controllers. Connection::open() makes one if the
// endpoint names several. Only common/io uses it.
#pragma once

#include <memory>
#include <vector>

#include "common/io/link.h"

namespace cox {

std::unique_ptr<Connection> follow_leader(std::vector<std::unique_ptr<Connection>> controllers);

}  // namespace cox
