// What the scheduling engine knows, as a file that `cox simulate --replay` reads.
#pragma once

#include "controller/ledger/reaction.h"

namespace cox {

void on_snapshot(Reaction& r, const PeerName& peer, std::int64_t number, const TakeSnapshot& ask);

}  // namespace cox
