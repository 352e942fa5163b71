// The scheduler's view of the cluster: schedule::World from Cluster. Pure.
#pragma once

#include "controller/cluster.h"
#include "schedule/plan.h"

namespace cox {

// The nodes alone: whether a job could ever run does not depend on the queue.
std::vector<schedule::WorldNode> world_nodes(const Cluster& cluster);
schedule::World world_of(const Cluster& cluster, Now now);
schedule::PendingJob pending_job(const Cluster& cluster, const Job& job, Now now);

// The partition by name; empty name: the default one. Null when there is none.
const PartitionConfig* partition_of(const ControllerConfig& config, const std::string& name);

}  // namespace cox
