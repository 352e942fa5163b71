// Checks the setting `database` of [controller] as libpq reads it, without connecting. Used by
// controller/io/restart.cpp.
#pragma once

#include <string>

#include "common/base/result.h"

namespace cox {

// Returns why libpq cannot use the connection string, for example because of a misspelt word.
// Nothing if it can.
Failure check_connection_string(const std::string& conninfo);

}  // namespace cox
