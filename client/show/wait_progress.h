// `cox wait`: shows what has changed between two replies about a job, and computes the exit code.
// Pure.
#pragma once

#include <optional>
#include <string>

#include "client/text/screen.h"
#include "common/messages/messages.h"

namespace cox {

// Returns a line for each change of the job since the reply `before`. Empty if nothing has changed.
std::string progress_lines(const std::optional<JobDetail>& before, const JobDetail& now,
                           const Screen& screen);

// Returns 0 for COMPLETED, else the exit code of the first rank that failed, or 128 plus its
// signal; 1 if there is neither (cancelled, timed out). REQUIRES: the job's state is final.
int exit_code_of(const Job& job);

// For an array that was named by its id, has_ended() is true when all tasks have ended, and
// exit_code_of() returns their highest exit code.
bool has_ended(const JobDetail& detail);
int exit_code_of(const JobDetail& detail);

}  // namespace cox
