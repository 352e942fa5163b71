// Rows of long lists: of a JobView the part that lists show most. Pure.
#pragma once

#include <vector>

#include "common/messages/messages.h"

namespace cox {

JobSummary brief_of(const JobView& view);

// The views again; what a brief row has not is as if it had never been asked for. Specifications
// that are alike are shared by those that follow each other.
std::vector<JobView> views_of(std::vector<JobSummary> rows);

}  // namespace cox
