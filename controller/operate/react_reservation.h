// Advance reservations: what people do with them, and what time brings. Pure but for the Reaction.
#pragma once

#include "controller/ledger/reaction.h"

namespace cox {

void on_reservation(Reaction& r, const PeerMessage& said, std::int64_t number,
                    const ActOnReservation& act);
// Those that are over go, or move on to when they come again.
void watch_reservations(Reaction& r);

}  // namespace cox
