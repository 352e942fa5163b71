// Ends a job and does what follows in the same turn: keeps or prunes its checkpoints, and submits
// the next job of its crontab line. Pure but for the Reaction. Every job ends by this function,
// except jobs of a crontab that was removed or replaced: admit/cron.cpp ends these without a next
// job.
#pragma once

#include <functional>
#include <string>

#include "controller/ledger/reaction.h"

namespace cox {

// Ends the job by a change of state (`trigger`). `edit` may set more fields of the job's row.
// REQUIRES: the trigger leads to a final state.
void end_job(
    Reaction& r, JobId id, Trigger trigger, std::string why, std::string actor,
    const std::function<void(Job&)>& edit = [](Job&) {});

}  // namespace cox
