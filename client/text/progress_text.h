// Formats the progress that a job has reported: training steps, rate, time left, metrics. Pure.
#pragma once

#include <string>

#include "common/base/progress.h"

namespace cox {

// Returns a text for a table, such as "24 %, 3.4/s, 18 min left", or "step 1200, 3.4/s" if the
// total number of training steps is unknown. Empty if the job has reported nothing. `is_live`: the
// attempt runs; only then is the time left shown.
std::string brief_progress_text(const Progress& progress, Wall now, bool is_live);

// Returns the same in full: "step 1200 of 5000, 24 %, 3.4/s, 18 min left; loss=0.25".
std::string progress_text(const Progress& progress, Wall now, bool is_live);

}  // namespace cox
