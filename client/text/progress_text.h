// How far a job has come, for people. Pure.
#pragma once

#include <string>

#include "common/base/progress.h"

namespace cox {

// "24 %, 3.4/s, 18 min left", for a column; without a total "step 1200, 3.4/s". Empty: it has said
// nothing. `is_live`: the attempt runs, so it has time left.
std::string brief_progress_text(const Progress& progress, Wall now, bool is_live);

// "step 1200 of 5000, 24 %, 3.4/s, 18 min left; loss=0.25"
std::string progress_text(const Progress& progress, Wall now, bool is_live);

}  // namespace cox
