// Connects a rank to the supervisor of its attempt over the socket $COX_SUPERVISOR_SOCKET. Both
// sides send 4 bytes of length (little endian), then a frame. For the commands that ranks call:
// `cox checkpoint done`, `cox checkpoint finished` and `cox progress`.
#pragma once

#include <string>

#include "client/command.h"
#include "client/options.h"
#include "common/base/result.h"
#include "common/messages/messages.h"

namespace cox {

// Returns the path of the socket. A Refusal if the caller is not a rank of a job; `command` is
// named in its hint.
Result<std::string> supervisor_socket(const std::string& command);

// Sends a CheckpointDone or a WorkFinished and waits for the answer. The supervisor answers when it
// has read and hashed what was saved, and has written the report to disk. If a supervisor runs and
// its socket or the place of the save is away, tries again for 60 s.
Result<CheckpointAnswer> report_checkpoint(const std::string& path, const Message& report);

// Reports progress; does not wait for an answer.
Failure report_progress(const std::string& path, const ProgressReport& report);

}  // namespace cox
