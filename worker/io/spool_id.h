// The identity of a spool folder: a random name in a file of the folder, made with it. By it the
// controller sees whether a worker has the spool folder of the worker before it, so that the list
// of attempts in it is complete. Only the worker that holds the lock of the spool folder may call
// this.
#pragma once

#include <string>

#include "common/base/result.h"

namespace cox {

// Returns the identity; makes it if the folder has none. A file that cannot be read is no proof
// that the folder is new, so then the worker must not start.
Result<std::string> settle_spool_id(const std::string& spool_dir);

}  // namespace cox
