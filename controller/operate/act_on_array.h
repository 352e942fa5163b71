// What people do to some tasks of an array, or to all of it. Pure but for the Reaction.
#pragma once

#include <string>

#include "controller/ledger/reaction.h"

namespace cox {

// `tasks`: of the array with this id, these alone; empty: all of it.
Acted::Outcome act_on_job(Reaction& r, const Caller& caller, JobVerb verb, JobId id,
                          const std::string& tasks);

}  // namespace cox
