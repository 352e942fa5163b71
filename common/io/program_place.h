// Finds the other programs of Coxswain: in the folder of the running program (in a build), or where
// an installation puts them relative to it, so that the whole prefix may be moved. Used by programs
// that start others: cox-worker and `cox up`.
#pragma once

#include <optional>
#include <string>

#include "common/base/result.h"

namespace cox {

// Returns the absolute path of a program of Coxswain by its name:
// PREFIX/libexec/coxswain/cox-supervisor.
Result<std::string> find_program(const std::string& name);

// Returns the path of demo.py, for `cox demo`.
Result<std::string> find_demo();

// Returns the path of the example configuration, which explains every key; nothing if it is not
// installed.
std::optional<std::string> find_example();

}  // namespace cox
