// Handles scontrol create, update and delete of partitions. Pure but for the Reaction.
#pragma once

#include "controller/ledger/reaction.h"

namespace cox {

Acted update_partitions(Reaction& r, const PeerMessage& incoming, const UpdatePartitions& update);

}  // namespace cox
