// Checks for `cox doctor`: key files, the handshake with a controller, and the processes that
// listen on the endpoints. Only for client/setup/doctor.cpp. Pure.
#pragma once

#include "client/setup/findings.h"
#include "client/setup/host_facts.h"

namespace cox {

void diagnose_key(const KeyFacts& key, Findings& out);
void diagnose_handshake(const HandshakeFacts& handshake, Findings& out);
void diagnose_listening(const HostFacts& facts, const ListenFacts& listen, Findings& out);

}  // namespace cox
