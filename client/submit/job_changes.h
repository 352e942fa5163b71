// Converts changes of jobs (scontrol update, cox update) from the user's notation to the
// controller's: local times become UTC, sizes become MB, and "TimeLimit+=30" becomes the name
// TimeLimit with the value "+30". Pure.
#pragma once

#include <string>
#include <vector>

#include "client/text/moment_format.h"
#include "common/base/result.h"

namespace cox {

// Converts the names and values of the changes in place. REQUIRES: as many values as names.
Failure resolve_job_changes(std::vector<std::string>& names, std::vector<std::string>& values,
                            const LocalTime& here);

}  // namespace cox
