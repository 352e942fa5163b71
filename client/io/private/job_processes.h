// The processes of a cluster's jobs that run on this host, for `scontrol listpids`: those whose
// environment says that they are of one. Of others' processes the kernel shows root alone the
// environment.
#pragma once

#include <string>

#include "client/text/screen.h"

namespace cox {

// `job`: "17", "17.0"; empty: of all jobs.
Shown list_job_processes(const std::string& cluster, const std::string& job);

}  // namespace cox
