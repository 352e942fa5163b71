// Keeps a stream (an open file) that a child has opened as the user, so that a last line can be
// written to it later. The line follows the child's output even if the file was renamed.
#pragma once

#include <sys/types.h>

#include <string>

#include "common/base/result.h"
#include "worker/supervisor/io/files/descriptor.h"

namespace cox {

// The two ends of a socket through which the child passes the stream.
struct StreamKeep {
  Descriptor ours;
  Descriptor childs;
};
Result<StreamKeep> make_stream_keep();

// Called in the child: passes the descriptor `stream` to the parent. Errors are ignored, because
// the start of the program matters more.
void keep_stream(const Descriptor& childs, int stream);

// Called in the parent: returns the stream, only the first time. If it is not open, the child has
// not passed it yet.
Descriptor take_stream(const Descriptor& ours);

// Writes the line in a new child, so that a FIFO without a reader or a hanging share blocks only
// that child. Returns the child's pid, which the caller reaps; below 0: see errno.
pid_t write_as(uid_t uid, gid_t gid, const Descriptor& stream, const std::string& line);

}  // namespace cox
