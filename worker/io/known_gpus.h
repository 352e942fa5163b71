// The GPUs that a node has had since it booted. Jobs get GPUs by number, and the driver renumbers
// the GPUs after a lost one. So after a restart of the worker, the number of a running job's GPU
// could be given to another job. Called once, when the worker starts.
#pragma once

#include <string>
#include <vector>

#include "common/job/resources.h"

namespace cox {

// Returns why the node can take no jobs until it reboots, or until the GPU is back: a GPU that it
// has had since this boot is not there, or has another number. Empty: there is no such GPU.
// Remembers the GPUs in a file of the spool folder. `gpus`: those of the driver, whatever the
// configuration says; those without a UUID do not count.
std::string check_known_gpus(const std::string& spool_dir, const std::string& boot_id,
                             const std::vector<GpuDevice>& gpus);

}  // namespace cox
