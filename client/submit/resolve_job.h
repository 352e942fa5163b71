// Derives the working folder, the times and the number of nodes of a job from the options.
// Pure; used by client/submit/submit, client/step/allocation and client/submit/components.
#pragma once

#include <string>
#include <vector>

#include "client/options/submit_options.h"
#include "client/options/submit_surroundings.h"
#include "common/base/result.h"
#include "common/job/job.h"

namespace cox {

// Completes `spec`, the specification of a job or of a component of a heterogeneous job. Appends to
// `warnings` which options were changed or have no effect.
Failure resolve_job(const SubmitOptions& asked, const SubmitSurroundings& around, JobSpec& spec,
                    std::vector<std::string>& warnings);

}  // namespace cox
