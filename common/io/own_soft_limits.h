// Reads and sets the soft resource limits of this process (common/job/soft_limits.h). Clients read
// them when they submit a job; a child of the worker sets them before it executes the job's
// program. A separate file, because the supervisor links it.
#pragma once

#include <vector>

#include "common/job/soft_limits.h"

namespace cox {

// Returns all soft limits of this process.
std::vector<SoftLimit> own_soft_limits();

// Sets a soft limit and leaves the hard limit as it is. A value above the hard limit is an error if
// the user asked for it; otherwise it is lowered to the hard limit. Returns 0 or errno. Allocates
// no memory, because it may run in a child of vfork.
int set_own_soft_limit(const SoftLimit& limit);

}  // namespace cox
