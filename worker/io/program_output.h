// What another program prints: for asking a tool of the machine about the machine.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/base/time.h"

namespace cox {

// Its standard output, when it ends well within that time and prints no more than bytes_max; it is
// killed else. words: its name, looked for in PATH, first. Waits for it.
std::optional<std::string> program_output(const std::vector<std::string>& words,
                                          Milliseconds timeout, std::size_t bytes_max);

}  // namespace cox
