// A look at the files that an attempt's ranks write their output into, in a child that has become
// the job's user: those that take too much are made smaller, and what disk is full is told.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>

#include "worker/supervisor/supervision.h"

namespace cox {

// Regular files alone, each once by whatever name. One that belongs to somebody else or is reached
// by a symbolic link is never changed: who may write in its folder could put another in its place.
supervisor::OutputSeen look_at_output(const std::set<std::string>& paths, std::int64_t bytes_max);

// On its way from the child.
std::string encode_seen(const supervisor::OutputSeen& seen);
// None: the child has died.
std::optional<supervisor::OutputSeen> decode_seen(const std::string& text);

}  // namespace cox
