// Records what a failover of the database has lost, and ends the pause in which no job starts.
// Pure but for the Reaction.
#pragma once

#include <string>
#include <vector>

#include "controller/ledger/reaction.h"

namespace cox {

// If a failover has lost this attempt, which the node reports, records that once: in the row of the
// failover and in the job's history. The caller ends the attempt on the node.
void report_if_lost(Reaction& r, const std::string& node, AttemptKey key);
// Lets jobs start again after a failover. Each node must have reported what it runs, or have lost
// its lease; nodes that the database has forgotten have node_timeout to register.
void watch_failover(Reaction& r);

}  // namespace cox
