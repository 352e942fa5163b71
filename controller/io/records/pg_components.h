// The components of heterogeneous jobs, those behind the first, as cox.job.components has them:
// JSON, an object for each, with the names of cox.job's columns. For pg_jobs.cpp.
#pragma once

#include <string>
#include <vector>

#include "common/job/job_size.h"

namespace cox {

std::string components_text(const std::vector<JobSize>& components);

// REQUIRES: components_text() has made it, whatever PostgreSQL has made of its blanks.
std::vector<JobSize> components_from(const std::string& text);

}  // namespace cox
