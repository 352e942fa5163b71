// Converts JobViews to JobSummary rows and back. Pure.
#pragma once

#include <vector>

#include "common/messages/messages.h"

namespace cox {

JobSummary summary_of(const JobView& view);

// Returns JobViews that have the fields of the rows; all other fields have their defaults.
// Consecutive rows with equal specifications share one JobSpec.
std::vector<JobView> views_of(std::vector<JobSummary> rows);

}  // namespace cox
