// The caller of a message: what the link has proven of a peer becomes what the peer may do. Called
// for each message that a controller receives (controller/main.cpp).
#pragma once

#include "common/cluster/config.h"
#include "common/io/link.h"
#include "common/messages/messages.h"
#include "controller/change/event.h"

namespace cox {

// A key is the cluster owner's, and a key named worker-NODE is that node's worker.
Caller caller_of(const PeerIdentity& identity, const ControllerConfig& config,
                 const Message& message);

}  // namespace cox
