// What the controller itself does in the checkpoint folder: it writes the marker file, and derives
// the next job id from the folder's content. A database that was restored from a backup may lack
// ids that were issued later. Used by controller/main.cpp and leader_host.cpp.
#pragma once

#include <string>

#include "common/base/ids.h"
#include "common/base/result.h"
#include "common/cluster/config.h"

namespace cox {

// Makes sure that the folder is that of this cluster: its marker file holds the cluster's name. A
// worker that does not find the marker does not share the folder. Only for a cluster without jobs
// are the folder and the marker made. If one with jobs has no marker, the shared folder is not
// mounted: below the place where it belongs, its checkpoints would seem to be gone. Refused also if
// the marker names another cluster, or cannot be read or written.
Failure mark_checkpoint_root(const ControllerConfig& config, bool has_jobs);

// Returns the smallest id above those of all jobs that have a folder there, but at least the id
// that note_next_job() wrote last.
JobId next_job_by_folders(const std::string& checkpoint_root);

// Writes to the folder that all ids below this one may have been issued.
void note_next_job(const std::string& checkpoint_root, JobId next);

}  // namespace cox
