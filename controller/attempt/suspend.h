// Who stands still, and goes on (Suspension in common/job/attempt.h). Pure but for the Reaction.
#pragma once

#include <string>

#include "controller/ledger/reaction.h"

namespace cox {

// It is to stand still, on every node, and to go on. REQUIRES: it runs; it is suspended.
void suspend_attempt(Reaction& r, JobId id, std::string why, const std::string& actor);
void resume_attempt(Reaction& r, JobId id);
// Repeats the current order under a number above the one that the node reports, which the database
// has lost.
void repeat_suspension(Reaction& r, JobId id, std::int64_t number_there);

}  // namespace cox
