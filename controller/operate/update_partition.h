// What people change of partitions: scontrol create, update and delete. Pure but for the Reaction.
#pragma once

#include "controller/ledger/reaction.h"

namespace cox {

Acted update_partitions(Reaction& r, const PeerMessage& said, const UpdatePartitions& update);

}  // namespace cox
