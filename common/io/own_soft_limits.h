// The soft resource limits of this process (common/soft_limits.h): read where a job is submitted,
// and set in a child of the worker before it becomes what a job runs. Alone in a library that the
// supervisor links.
#pragma once

#include <vector>

#include "common/soft_limits.h"

namespace cox {

// All that there are.
std::vector<SoftLimit> own_soft_limits();

// Sets a soft limit, and never a hard one. One that is higher than the hard limit becomes that,
// unless the user asked for it: then it is an error. Returns errno, or 0. Allocates nothing: it may
// run in a child of vfork.
int set_own_soft_limit(const SoftLimit& limit);

}  // namespace cox
