// Limits the requests of workers to jobs that ran on their node. A worker asks about such a job
// when it reads the job's output for a client.
#pragma once

#include <string>
#include <vector>

#include "controller/change/event.h"

namespace cox {

// Returns whether the caller may see a job with these attempts. A client may see every job, a
// worker's key only jobs with an attempt on its node.
bool may_see(const Caller& caller, const std::vector<Attempt>& attempts);

// Returns the reply to a worker that may not see the job.
Refusal not_on_node(const std::string& node);

}  // namespace cox
