// Handles `cox snapshot`: sends the scheduling engine's whole input as a file, in parts. `cox
// replay` reads it. Pure but for the Reaction.
#pragma once

#include "controller/ledger/reaction.h"

namespace cox {

void on_snapshot(Reaction& r, const PeerName& peer, std::int64_t number, const TakeSnapshot& ask);

}  // namespace cox
