// Stores pending reasons: writes the rows of cox.job_wait (JobWait). Pure but for the Reaction.
#pragma once

#include "controller/ledger/reaction.h"

namespace cox {

// Stores the pending reason of a job whose dependencies can never be met; no pass explains it. It
// is stored only once, since the jobs that it names may leave memory.
void record_never_starts(Reaction& r, JobId id);
// After tasks were split off into the row `part`, stores the reasons of both rows, if the jobs can
// never start.
void split_never_satisfied(Reaction& r, JobId row, JobId part);
// Stores the pending reasons that have changed. Returns false if more have changed than one turn
// may write; the next turn continues.
bool keep_waits(Reaction& r);

}  // namespace cox
