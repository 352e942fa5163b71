// Creates, changes and deletes advance reservations on request, and maintains them as time passes.
// Pure but for the Reaction.
#pragma once

#include "controller/ledger/reaction.h"

namespace cox {

void on_reservation(Reaction& r, const PeerMessage& incoming, std::int64_t number,
                    const ActOnReservation& act);
// Removes reservations that are over, or moves them to their next occurrence. Replaces unusable
// nodes, and ends idle reservations. Called on each tick.
void watch_reservations(Reaction& r);

}  // namespace cox
