// The identity of a spool folder: a random name in a file of the folder, made with it. By it the
// controller sees whether a worker has the spool folder of the worker before it, so that the list
// of attempts in it is complete. A second file names the boot, the inode and the path of the
// folder: a copy of the folder would have the identity too, while the supervisors go on in the
// original. Only the worker that holds the lock of the spool folder may call this.
#pragma once

#include <string>

#include "common/base/result.h"

namespace cox {

// Refuses a folder that is a copy of one of this boot; then the worker must not start. Returns the
// path of the folder when a worker last started with it in this boot; "": none has.
Result<std::string> check_spool_place(const std::string& spool_dir);

// Returns the identity; makes it if the folder has none. Records where the folder is. A file that
// cannot be read is no proof that the folder is new, so then the worker must not start.
Result<std::string> settle_spool_id(const std::string& spool_dir);

}  // namespace cox
