// Log lines of the worker, one when an attempt starts and one when it has ended, so that the node's
// journal names its jobs. Pure.
#pragma once

#include <string>

#include "common/job/attempt.h"

namespace cox {

// Returns, for example: job=17 attempt=1 starts user="ada" name="train" cpus=8 gpus=2
std::string start_line(const LaunchSpec& launch);

// Returns, for example: job=17 attempt=1 has ended ran_s=61 exit_code=1 rank=3
// REQUIRES: the attempt's phase is Gone.
std::string end_line(const AttemptStatus& status);

}  // namespace cox
