// Handles the messages of workers: hellos, heartbeats, and status reports of attempts. Pure but
// for the Reaction. A heartbeat is acknowledged outside the turn (heartbeat_ack()), so that leases
// do not wait for the database.
#pragma once

#include <optional>
#include <string>

#include "controller/ledger/reaction.h"

namespace cox {

void on_hello(Reaction& r, const PeerName& peer, const WorkerHello& hello);
void on_heartbeat(Reaction& r, const PeerName& peer, const Heartbeat& beat);
void on_status(Reaction& r, const PeerName& peer, const StatusReport& report);
// Forgets that the message was received, since its turn was rolled back. So it is not stale when
// it is handled again.
void forget_message(SoftState& soft_state, const Message& message);
// Records that the node has sent a message, and on which connection. Returns false and records
// nothing if the message is stale: from another session, or not newer than the last one.
bool take_number(Reaction& r, const PeerName& peer, const std::string& node,
                 const std::string& session, std::int64_t number);
// Returns the acknowledgement of a heartbeat, which renews the node's leases, and counts the
// heartbeat. nullopt: it is stale. If the session is not known, the reply asks for a hello.
std::optional<HeartbeatAck> heartbeat_ack(const Cluster& cluster, SoftState& soft_state,
                                          const Heartbeat& beat, Boot now);

}  // namespace cox
