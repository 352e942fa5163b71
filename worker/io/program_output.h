// Runs a tool of the machine, such as nvidia-smi, and returns its output.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/base/time.h"

namespace cox {

// Runs a program and returns its standard output. Blocks until the program ends. None: it failed,
// took longer than `timeout` or printed more than `bytes_max` bytes; then it is killed.
// `words`: the program's name, which is looked for in PATH, and its arguments.
std::optional<std::string> program_output(const std::vector<std::string>& words,
                                          Milliseconds timeout, std::size_t bytes_max);

}  // namespace cox
