// The epilog of an attempt whose supervisor was lost: its worker has cox-supervisor run it once
// nothing of the attempt is left, before it reports the loss.
#pragma once

#include <string>

namespace cox {

// `folder`: the supervisor's. Waits for the epilog's end, at most for the site's time limit, and
// writes how it ended to standard error. Returns the exit code of this process: 0 if the epilog
// did its work.
int run_epilog_of_lost(const std::string& folder);

}  // namespace cox
