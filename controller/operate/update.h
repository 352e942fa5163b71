// What people change of a job that is there: scontrol update. Pure but for the Reaction.
#pragma once

#include "controller/ledger/reaction.h"

namespace cox {

// What it depends on may have ended long ago, and is read before the request is judged.
void on_update_jobs(Reaction& r, const PeerMessage& said, std::int64_t number,
                    const UpdateJobs& ask);

}  // namespace cox
