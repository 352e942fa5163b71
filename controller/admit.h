// Judges a submission: the specification settled (defaults filled in, identity put in), or a
// refusal with the fact, the limit and the next step. Pure.
#pragma once

#include "common/result.h"
#include "controller/cluster.h"

namespace cox {

Result<JobSpec> admit(const Cluster& cluster, const Caller& caller, const SubmitJob& submit,
                      Now now);

}  // namespace cox
