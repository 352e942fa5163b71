// Changes of jobs as people write them, made ready for the controller: moments in local time become
// those of UTC, sizes become MB, and "TimeLimit+=30" becomes TimeLimit, "+30". Pure.
#pragma once

#include <string>
#include <vector>

#include "client/text/moment_format.h"
#include "common/base/result.h"

namespace cox {

// REQUIRES: as many values as names.
Failure settle_job_changes(std::vector<std::string>& names, std::vector<std::string>& values,
                           const LocalTime& here);

}  // namespace cox
