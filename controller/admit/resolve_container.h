// Jobs in containers (common/job/container.h) run on nodes that have a container_command. Such
// nodes announce the feature `container`, and admission adds that feature to the constraint of the
// job. Pure.
#pragma once

#include "common/base/result.h"
#include "common/job/job.h"
#include "controller/state/cluster.h"

namespace cox {

// Adds the feature to the constraints of the job and of its components, if the job asks for a
// container. Idempotent. Refused if no node runs containers, or if an option of
// the container is not valid.
Failure resolve_container(const Cluster& cluster, ParsedSpec& spec);

}  // namespace cox
