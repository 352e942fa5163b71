// Two workers under the name of one node: a cloned or reinstalled machine with the same key,
// another spool folder, a spare machine. Only one of them is served. A worker that comes from
// another place than the one before it (spool folder, boot, address) does not know what that one
// runs, so it is served only when the one before is silent and its ranks have surely ended. Pure
// but for the Reaction. Called by controller/attempt/react_worker.cpp; rival_text() by answers too.
//
//   same spool folder, boot and address    at once: the lock of the spool folder shows that the
//                                          worker before has ended
//   another boot (a reboot) or address     when the worker before has missed three heartbeats
//   another spool folder, or both          when it has been silent for node_timeout, and its ranks
//                                          have surely ended: its attempts are over, or their
//                                          leases are, or the node was fenced
#pragma once

#include <string>

#include "controller/ledger/reaction.h"

namespace cox {

// Returns whether the worker that says hello may replace the one that the node had. If not, the
// reason goes to it and into the node's history.
bool may_replace(Reaction& r, const PeerName& peer, const WorkerHello& hello);

// Called for each heartbeat of the worker that is served. If the worker has received an
// acknowledgement that was sent after the other one said hello, both live, and the other must end.
void note_life(NodeContact& live, const Heartbeat& beat);

// Answers a worker that was replaced, and still sends messages, that it must end. Returns false if
// it was not replaced.
bool end_replaced(Reaction& r, const PeerName& peer, const std::string& node,
                  const std::string& session);

// Returns the worker that is not served, as text for people; empty: there has been none lately.
std::string rival_text(const NodeContact& live, Boot now);

}  // namespace cox
