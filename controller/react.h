// What the controller does when a peer has said something: the one entry for messages of users and
// workers, from which each goes to the function for it. Pure but for the Reaction it writes to.
// Called by the turn (controller.cpp) alone.
#pragma once

#include "controller/reaction.h"

namespace cox {

void react(Reaction& r, const PeerSaid& said);

}  // namespace cox
