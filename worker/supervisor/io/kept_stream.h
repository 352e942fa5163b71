// A stream that a child has opened as the user, kept for a last line of ours: the open file itself,
// so that the line comes behind what was written, and whatever stands at its path by then.
#pragma once

#include <sys/types.h>

#include <string>

#include "common/base/result.h"
#include "worker/supervisor/io/files/descriptor.h"

namespace cox {

// Two ends of a socket in which the stream waits.
struct StreamKeep {
  Descriptor ours;
  Descriptor childs;
};
Result<StreamKeep> make_stream_keep();

// In the child. Nothing of it is worth a start that fails.
void keep_stream(const Descriptor& childs, int stream);

// Once. Not open: the child has not come so far.
Descriptor take_stream(const Descriptor& ours);

// By a child of ours, which is returned and is to be reaped: a FIFO that nobody reads or a share
// that hangs holds that one alone. Below 0: errno.
pid_t write_as(uid_t uid, gid_t gid, const Descriptor& stream, const std::string& line);

}  // namespace cox
