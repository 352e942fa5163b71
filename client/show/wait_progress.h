// `cox wait`: what is new between two looks at a job, and the exit code its end gives. Pure.
#pragma once

#include <optional>
#include <string>

#include "client/text/screen.h"
#include "common/messages/messages.h"

namespace cox {

// A line for each thing that became true since `before`; nothing when nothing did.
std::string progress_lines(const std::optional<JobDetail>& before, const JobDetail& now,
                           const Screen& screen);

// REQUIRES: the job's state is final. 0 for COMPLETED; the first failing rank's exit code, 128 plus
// its signal, as a shell counts; 1 for an end without either (cancelled, timed out).
int exit_code_of(const Job& job);

// Of an array that was asked for by its id: all of its tasks. The highest of their exit codes.
bool has_ended(const JobDetail& detail);
int exit_code_of(const JobDetail& detail);

}  // namespace cox
