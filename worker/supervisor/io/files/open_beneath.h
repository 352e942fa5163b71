// Opens a path below a folder and never leaves that folder. Root uses it wherever users can write:
// a symbolic link, "..", an absolute path or a /proc link in the path makes the call fail.
#pragma once

#include <sys/types.h>

#include <string>

#include "worker/supervisor/io/files/descriptor.h"

namespace cox {

// Like openat(2), by openat2(2) with RESOLVE_BENEATH, RESOLVE_NO_SYMLINKS and
// RESOLVE_NO_MAGICLINKS. The descriptor is closed on exec, opening a FIFO does not block, and a
// terminal does not become this process's. If the result is not open, errno says why: ELOOP for a
// symbolic link, EXDEV for a path that leaves the folder.
Descriptor open_beneath(int folder, const std::string& path, int flags, mode_t mode = 0);

}  // namespace cox
