// Writes and reads column cox.job.components: the components of a heterogeneous job after the
// first, as a JSON array of objects with the names of cox.job's columns. Used by pg_jobs.cpp.
#pragma once

#include <string>
#include <vector>

#include "common/job/job_size.h"

namespace cox {

std::string components_text(const std::vector<JobSize>& components);

// Returns the components in the text. REQUIRES: components_text() has made the text; PostgreSQL may
// have changed its white space.
std::vector<JobSize> components_from(const std::string& text);

}  // namespace cox
