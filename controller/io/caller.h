// Makes the Caller of a message, by which requests are authorised, from the identity that the link
// has proven. Called for each message that a controller receives (controller/io/leader_host.cpp).
#pragma once

#include "common/cluster/config.h"
#include "common/io/link.h"
#include "common/messages/messages.h"
#include "controller/change/event.h"

namespace cox {

// Returns the caller. A peer with a key named worker-NODE is that node's worker. Any other key is
// the cluster owner's.
Caller caller_of(const PeerIdentity& identity, const ControllerConfig& config,
                 const Message& message);

}  // namespace cox
