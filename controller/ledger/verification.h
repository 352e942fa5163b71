// Carries out `cox checkpoints verify`: a node reads the checkpoints of a job, and what it finds
// sets or clears their marks of damage. Pure.
#pragma once

#include "common/messages/checkpoint_messages.h"
#include "common/messages/client_messages.h"
#include "controller/change/event.h"
#include "controller/ledger/reaction.h"

namespace cox {

// Orders a node to read the checkpoints. Refused to other users, and if no node can read them.
Acted verify_checkpoints(Reaction& r, const Caller& caller, const VerifyCheckpoints& ask);
// Records what a node found. Files that cannot be read prove nothing, so then no mark changes.
void on_checkpoint_verified(Reaction& r, const CheckpointVerified& report);

}  // namespace cox
