// Where the other programs of coxswain are: beside the one that runs (a build folder), or where an
// installation puts them, seen from it, so that the whole prefix may be moved. Used by those that
// start others: cox-worker and `cox up`.
#pragma once

#include <optional>
#include <string>

#include "common/base/result.h"

namespace cox {

// The absolute path of a program, such as PREFIX/libexec/coxswain/cox-supervisor.
Result<std::string> find_program(const std::string& name);

// That of demo.py, for `cox demo`.
Result<std::string> find_demo();

// Returns the path of the example configuration, which explains every key; nothing: it is not
// installed.
std::optional<std::string> find_example();

}  // namespace cox
