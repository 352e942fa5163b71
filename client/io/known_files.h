// Checks the files of a step's input and output before the step, or its job, exists.
#pragma once

#include "client/step/step_routes.h"
#include "common/base/result.h"

namespace cox {

// Checks permissions without opening the files: an output file is truncated, and a FIFO is opened,
// only when the step starts.
Failure check_known_files(const KnownFiles& files);

}  // namespace cox
