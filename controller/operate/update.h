// Handles `scontrol update job`. Pure but for the Reaction.
#pragma once

#include "controller/ledger/reaction.h"

namespace cox {

// If the new dependency names a job that has left memory, reads it from the store first; the
// request is then handled again.
void on_update_jobs(Reaction& r, const PeerMessage& incoming, std::int64_t number,
                    const UpdateJobs& ask);

}  // namespace cox
