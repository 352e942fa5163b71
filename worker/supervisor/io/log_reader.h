// Reads output files for `cox logs` in a process that runs as the job's user, so the kernel refuses
// files that this user may not read. The worker chooses the file, never the client.
#pragma once

#include <sys/types.h>

#include "common/messages/messages.h"
#include "worker/supervisor/io/files/descriptor.h"

namespace cox {

// Reads one piece of the file at `ask.path`, which the worker has filled in.
Reply read_log(std::int64_t number, const ReadLog& ask);

// Becomes the user, then answers ReadLog requests from the socket, one after the other, until its
// other end is closed. Returns the exit code.
int serve_log_reads(Descriptor socket, uid_t uid, gid_t gid);

}  // namespace cox
