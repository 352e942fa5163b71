// Reads output files for `cox logs`, in a process of its own that is the job's user: what that user
// may not read is refused by the kernel. The worker names the file; clients never do.
#pragma once

#include <sys/types.h>

#include "common/messages/messages.h"
#include "worker/supervisor/io/files/descriptor.h"

namespace cox {

// One piece of the file at `ask.path`, which the worker has filled in.
Reply read_log(std::int64_t number, const ReadLog& ask);

// Becomes the user, then answers requests of ReadLog from the socket, one after the other, until
// its other end is closed. Returns the exit code.
int serve_log_reads(Descriptor socket, uid_t uid, gid_t gid);

}  // namespace cox
