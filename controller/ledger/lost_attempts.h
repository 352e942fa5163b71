// Which attempts a failover may have lost (recovery.h): those that the database has forgotten, and
// those that may have run although it says that they did not. Pure.
#pragma once

#include <string>
#include <vector>

#include "controller/state/cluster.h"

namespace cox {

// The number of the next attempt: none that a lost one may have had.
AttemptNumber next_attempt(const Cluster& cluster, const JobEntry& entry);

// Whether the attempt may have begun to run in what a failover has lost. Until that is settled the
// database is not believed if it says that the attempt has not run: no node may be asked to prepare
// it again under its number.
bool may_have_run_unrecorded(const Cluster& cluster, const Attempt& attempt);

// Whether any rank of the attempt may have run, whatever the database says.
bool may_have_run(const Cluster& cluster, const Attempt& attempt);

// Which failover has lost an attempt that a node has; none: it was not lost.
const Failover* loser_of(const Cluster& cluster, AttemptKey key);

// The nodes that may run what it has lost, and have not told yet.
std::vector<std::string> nodes_yet_to_tell(const Cluster& cluster, Boot now);

}  // namespace cox
