// What workers say: hellos, heartbeats, and how attempts stand on their nodes. Pure but for the
// Reaction. A heartbeat is acknowledged outside the turn: leases do not wait for the database.
#pragma once

#include <optional>
#include <string>

#include "controller/ledger/reaction.h"

namespace cox {

void on_hello(Reaction& r, const PeerName& peer, const WorkerHello& hello);
void on_heartbeat(Reaction& r, const PeerName& peer, const Heartbeat& beat);
void on_status(Reaction& r, const PeerName& peer, const StatusReport& report);
// What a worker said in a turn that was undone counts as not heard: it is taken in again.
void forget_message(Cluster& soft_state, const Message& message);
// Takes note that the node was heard, and where, if the message is of its session and not
// overtaken.
bool take_number(Cluster& soft_state, const PeerName& peer, const std::string& node,
                 const std::string& session, std::int64_t number, Boot now);
std::optional<HeartbeatAck> heartbeat_ack(Cluster& soft_state, const Heartbeat& beat, Boot now);

}  // namespace cox
