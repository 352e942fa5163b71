// The entry for all messages of users and workers: passes each to the function that handles it.
// Pure but for the Reaction. Called by the turn (controller.cpp).
#pragma once

#include "controller/ledger/reaction.h"

namespace cox {

void react(Reaction& r, const PeerMessage& incoming);

// Handles a request. Also called to answer from memory while the database is away
// (while_away.cpp). REQUIRES: react() has checked that this peer may send such a request.
void on_request(Reaction& r, const PeerMessage& incoming, const Request& request);

}  // namespace cox
