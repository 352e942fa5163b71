// The line that is written to a batch script's standard error when the job is stopped. It has the
// form of the line of Slurm's slurmstepd, for which people and programs search.
#pragma once

#include <string>

#include "common/job/attempt.h"

namespace cox {

// Returns whether the line is written for this reason: not if no stop was ordered or the job ended
// by itself.
bool is_shown_as_cancelled(StopWhy why);

// Returns the line with its newline. `moment`: the present time as text, in the node's time zone.
std::string cancelled_line(const LaunchSpec& launch, StopWhy why, const std::string& moment);

}  // namespace cox
