// Finds out for `cox doctor` why a controller does not answer over TCP: whether a process listens
// there, whether it is a controller, and which of the two keys is wrong.
#pragma once

#include <string>

#include "client/setup/host_facts.h"
#include "common/io/link.h"

namespace cox {

// Makes one connection, sends no message, and records the result in `facts`. Takes a few seconds at
// most. REQUIRES: the endpoint is tcp://ADDRESS:PORT, and both keys are complete.
void probe_handshake(HandshakeFacts& facts, const std::string& server_key, const KeyPair& key);

}  // namespace cox
