// What a failover has lost: it is told once, and no job starts until every node has told what it
// runs. Pure but for the Reaction.
#pragma once

#include <string>
#include <vector>

#include "controller/ledger/reaction.h"

namespace cox {

// What a node has may be what a failover has lost: told, once. It is ended as all that is over.
void tell_if_lost(Reaction& r, const std::string& node, AttemptKey key);
// Jobs start again once each node has told what it runs, or can run nothing any more, and those
// that the database never heard of have had a moment to.
void watch_failover(Reaction& r);

}  // namespace cox
