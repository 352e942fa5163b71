// The scheduler's view of the cluster: what Cluster tells its schedule::Engine. Pure.
#pragma once

#include "controller/cluster.h"
#include "controller/request.h"
#include "schedule/plan.h"

namespace cox {

std::vector<schedule::WorldNode> world_nodes(const Cluster& cluster);

// REQUIRES: a live attempt.
schedule::RunningJob running_job(const Cluster& cluster, const JobEntry& entry, Now now);

schedule::PendingJob pending_job(const Cluster& cluster, const JobEntry& entry);

// By the factors as they are now; the job keeps it while it is in line.
double priority_in_line(const Cluster& cluster, const Job& job);

}  // namespace cox
