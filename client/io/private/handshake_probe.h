// Why a controller does not answer by tcp: whether anybody listens there, whether that is a
// controller, and which of the two keys is wrong. For `cox doctor`.
#pragma once

#include <string>

#include "client/setup/host_facts.h"
#include "common/io/link.h"

namespace cox {

// Makes one connection and sends no message. Waits a few seconds at most.
// REQUIRES: the endpoint is tcp://ADDRESS:PORT, and both keys are whole.
void probe_handshake(HandshakeFacts& facts, const std::string& server_key, const KeyPair& key);

}  // namespace cox
