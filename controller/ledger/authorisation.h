// Which callers may act on a job. The connection has proven the caller's identity. Pure.
#pragma once

#include "controller/state/cluster.h"

namespace cox {

// Returns whether the caller is the job's owner or the user who runs the cluster.
bool may_act_on(const Cluster& cluster, const Caller& caller, const Job& job);

// Returns whether the caller may stop, hold and requeue the job. A coordinator of the job's account
// may, but may not run steps in the job or change its request.
bool may_manage(const Cluster& cluster, const Caller& caller, const Job& job);

}  // namespace cox
