// Which attempts a failover may have lost (recovery.h): attempts without a row in the database, and
// attempts that may have run although their rows have no start. Pure.
#pragma once

#include <string>
#include <vector>

#include "controller/state/cluster.h"

namespace cox {

// Returns the number of the job's next attempt. It is above every number that a lost attempt of the
// job can have.
AttemptNumber next_attempt(const Cluster& cluster, const JobEntry& entry);

// Returns whether the attempt may have begun to run in turns that a failover has lost. Until the
// failover is settled, the row is not trusted if it has no start, and no node is asked to prepare
// the attempt again under its number.
bool may_have_run_unrecorded(const Cluster& cluster, const Attempt& attempt);

// Returns whether any rank of the attempt may have run, even if its row has no start.
bool may_have_run(const Cluster& cluster, const Attempt& attempt);

// Returns the failover that has lost an attempt that a node reports; null: it was not lost.
const Failover* loser_of(const Cluster& cluster, AttemptKey key);

// Returns the nodes that may run lost attempts and have not yet reported what they run.
std::vector<std::string> nodes_yet_to_report(const Cluster& cluster, Boot now);

}  // namespace cox
