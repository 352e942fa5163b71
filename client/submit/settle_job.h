// Settles where and when a job runs, and on how many nodes, from the options of the command that
// asks for the job. Pure; used by client/submit/submit, client/step/allocation and
// client/submit/components.
#pragma once

#include <string>
#include <vector>

#include "client/options/submit_options.h"
#include "client/options/submit_surroundings.h"
#include "common/base/result.h"
#include "common/job/job.h"

namespace cox {

// `spec`: the job, or a component of a heterogeneous job. Adds what the user should know to
// `warnings`.
Failure settle_job(const SubmitOptions& asked, const SubmitSurroundings& around, JobSpec& spec,
                   std::vector<std::string>& warnings);

}  // namespace cox
