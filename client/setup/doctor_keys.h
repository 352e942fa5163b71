// Checks for `cox doctor`: key files, the handshake with a controller, and the processes that hold
// the endpoints. For client/setup/doctor.cpp alone. Pure.
#pragma once

#include "client/setup/findings.h"
#include "client/setup/host_facts.h"

namespace cox {

void judge_key(const KeyFacts& key, Findings& out);
void judge_handshake(const HandshakeFacts& handshake, Findings& out);
void judge_listening(const HostFacts& facts, const ListenFacts& listen, Findings& out);

}  // namespace cox
