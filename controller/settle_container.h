// Jobs in containers (common/container.h) run on nodes that have a container_command. Such nodes
// announce the feature `container`, so it is part of what the job asks of its nodes. For admission.
// Pure.
#pragma once

#include "common/job.h"
#include "common/result.h"
#include "controller/cluster.h"

namespace cox {

// Adds the feature to the job's constraint, and to those of its components, if it asks for a
// container. Any number of times has the effect of one. Refused: no node runs containers, or what
// is said of the container cannot be read.
Failure settle_container(const Cluster& cluster, JobSpec& spec);

}  // namespace cox
