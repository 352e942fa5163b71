// What is due by time: time limits, leases, timeouts. Pure but for the Reaction.
#pragma once

#include "controller/ledger/reaction.h"

namespace cox {

void on_tick(Reaction& r);  // runs on each tick of the clock

}  // namespace cox
