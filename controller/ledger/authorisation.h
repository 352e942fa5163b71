// Who may do what to a job. The caller's identity is proven by the connection. Pure.
#pragma once

#include "controller/state/cluster.h"

namespace cox {

bool may_act_on(const Cluster& cluster, const Caller& caller, const Job& job);

// Returns whether the caller may stop, hold and requeue the job. A coordinator of the job's account
// may, but may not run steps in the job or change its request.
bool may_manage(const Cluster& cluster, const Caller& caller, const Job& job);

}  // namespace cox
