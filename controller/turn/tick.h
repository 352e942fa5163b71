// What time brings. Pure but for the Reaction.
#pragma once

#include "controller/ledger/reaction.h"

namespace cox {

void on_tick(Reaction& r);

}  // namespace cox
