// A job that is only asked about (sbatch --test-only). Pure but for the Reaction.
#pragma once

#include "controller/ledger/reaction.h"

namespace cox {

// Says what a pass would decide of the job, as if it were submitted now; nothing of it stays.
void on_test(Reaction& r, const PeerMessage& said, std::int64_t number, const TestJob& test);

}  // namespace cox
