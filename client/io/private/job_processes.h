// Lists the processes of a cluster's jobs on this host, for `scontrol listpids`. A variable in a
// process's environment shows to which job it belongs. Only root can read the environment of other
// users' processes.
#pragma once

#include <string>

#include "client/text/screen.h"

namespace cox {

// `job` is, for example, "17" or "17.0"; empty: all jobs.
Shown list_job_processes(const std::string& cluster, const std::string& job);

}  // namespace cox
