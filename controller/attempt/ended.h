// Ends a job, with all that follows in the same turn: its checkpoints are kept or pruned, and the
// next job of its crontab line is submitted. Pure but for the Reaction. (Only the jobs of a crontab
// that was removed or replaced end otherwise, in admit/cron.cpp: they have no next job.)
#pragma once

#include <functional>
#include <string>

#include "controller/ledger/reaction.h"

namespace cox {

// `edit` may set fields of the row that go with the new state. REQUIRES: the trigger ends the job.
void end_job(
    Reaction& r, JobId id, Trigger trigger, std::string why, std::string actor,
    const std::function<void(Job&)>& edit = [](Job&) {});

}  // namespace cox
