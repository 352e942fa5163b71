// The checkpoint folder, as far as the controller itself looks into it: its marker, and what it
// tells of job ids to a database that was restored from a backup.
#pragma once

#include <string>

#include "common/base/ids.h"
#include "common/base/result.h"
#include "common/cluster/config.h"

namespace cox {

// Workers look for the marker: one that does not see it does not share the folder.
Failure mark_checkpoint_root(const ControllerConfig& config);

// The id behind all jobs that have a folder there, and behind what note_next_job() wrote.
JobId next_job_by_folders(const std::string& checkpoint_root);

// Writes down that ids below this one may have been issued.
void note_next_job(const std::string& checkpoint_root, JobId next);

}  // namespace cox
