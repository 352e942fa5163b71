// What the controller does when a peer has said something: the one entry for messages of users and
// workers, from which each goes to the function for it. Pure but for the Reaction it writes to.
// Called by the turn (controller.cpp).
#pragma once

#include "controller/ledger/reaction.h"

namespace cox {

void react(Reaction& r, const PeerMessage& said);

// A request alone, of a peer that may make it. Also called to answer from memory while the database
// is away (while_away.cpp).
void on_request(Reaction& r, const PeerMessage& said, const Request& request);

}  // namespace cox
