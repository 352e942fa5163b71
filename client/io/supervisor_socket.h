// The way from a rank to the supervisor of its attempt, over the socket that
// $COX_SUPERVISOR_SOCKET names: 4 bytes of length (little endian), then a frame, both ways. For the
// commands that ranks call: `cox checkpoint done` and `cox progress`.
#pragma once

#include <string>

#include "client/command.h"
#include "client/options.h"
#include "common/base/result.h"
#include "common/messages/messages.h"

namespace cox {

// Its path; a refusal where the caller is no rank of a job. `command` is named in what to do.
Result<std::string> supervisor_socket(const std::string& command);

// Waits for the answer, which comes when the supervisor has read and hashed what was saved.
Result<CheckpointAnswer> report_checkpoint(const std::string& path, const CheckpointDone& done);

// Waits for no answer.
Failure report_progress(const std::string& path, const ProgressReport& report);

}  // namespace cox
