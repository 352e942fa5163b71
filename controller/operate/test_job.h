// Handles a test job (sbatch --test-only). Pure but for the Reaction.
#pragma once

#include "controller/ledger/reaction.h"

namespace cox {

// Replies with what a scheduling pass would decide if the job were submitted now. The job is not
// added.
void on_test(Reaction& r, const PeerMessage& incoming, std::int64_t number, const TestJob& test);

}  // namespace cox
