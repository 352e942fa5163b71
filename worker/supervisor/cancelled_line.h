// What a batch script's standard error says when it is ended: the line of Slurm's slurmstepd, which
// people and programs look for.
#pragma once

#include <string>

#include "common/job/attempt.h"

namespace cox {

// False: it is over anyway.
bool is_told_as_cancelled(StopWhy why);

// With its newline. `moment`: now, in the node's local time.
std::string cancelled_line(const LaunchSpec& launch, StopWhy why, const std::string& moment);

}  // namespace cox
