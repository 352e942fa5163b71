// Suspends and resumes attempts (Suspension in common/job/attempt.h). Pure but for the Reaction.
#pragma once

#include <string>

#include "controller/ledger/reaction.h"

namespace cox {

// Orders every node to suspend the job's live attempt. REQUIRES: the job is RUNNING.
void suspend_attempt(Reaction& r, JobId id, std::string why, const std::string& actor);
// Orders every node to resume the job's live attempt. REQUIRES: the job is SUSPENDED.
void resume_attempt(Reaction& r, JobId id);
// Sends the attempt's present order (to suspend or to resume) again, with a higher number than the
// node reports. REQUIRES: the node's number is higher than the attempt's, because the database has
// lost an order.
void repeat_suspension(Reaction& r, JobId id, std::int64_t number_there);

}  // namespace cox
