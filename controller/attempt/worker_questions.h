// What a worker may ask: about jobs that ran on its node, whose output it reads for clients.
#pragma once

#include <string>
#include <vector>

#include "controller/change/event.h"

namespace cox {

// Whether the caller may see a job with these attempts: a client may see every job, a worker's key
// only jobs with an attempt on its node.
bool may_see(const Caller& caller, const std::vector<Attempt>& attempts);

// The answer to a worker that may not.
Refusal not_on_node(const std::string& node);

}  // namespace cox
