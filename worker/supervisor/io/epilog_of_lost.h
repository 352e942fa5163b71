// Runs the epilog of an attempt whose supervisor was lost. When no process of the attempt is left,
// the worker starts a cox-supervisor process that does this. After it has ended, the worker reports
// the loss.
#pragma once

#include <string>

namespace cox {

// Runs the epilog, waits for its end, at most for the site's time limit, and logs how it ended to
// standard error. `folder`: the lost supervisor's. Returns the exit code of this process: 0 if the
// epilog succeeded.
int run_epilog_of_lost(const std::string& folder);

}  // namespace cox
