// The scheduler's view of the cluster: schedule::Queue and Nodes from Cluster. Pure.
#pragma once

#include "controller/cluster.h"
#include "schedule/nodes.h"
#include "schedule/plan.h"

namespace cox {

// So many of the waiting jobs a pass looks at, the first in line; Slurm's bf_max_job_test.
inline constexpr std::size_t pass_jobs_max = 1'000;

// Running jobs, and the first of those that wait.
schedule::Queue queue_of(const Cluster& cluster, Now now);
schedule::PendingJob pending_job(const Cluster& cluster, const Job& job, Now now);

// The nodes as the scheduler sees them; the same ones until something about them changes.
const schedule::Nodes& nodes_for_scheduling(const Cluster& cluster);

// The partition by name; empty name: the default one. Null when there is none.
const PartitionConfig* partition_of(const ControllerConfig& config, const std::string& name);

}  // namespace cox
