// Acts on a job, on a whole array, or on some of its tasks. Pure but for the Reaction.
#pragma once

#include <string>

#include "controller/ledger/reaction.h"

namespace cox {

// Carries out the verb of `ask` on one of its jobs. `tasks`: only on these tasks of the array with
// this id; empty: on the job, or on the whole array.
Acted::Outcome act_on_job(Reaction& r, const Caller& caller, const ActOnJobs& ask, JobId id,
                          const std::string& tasks);

}  // namespace cox
