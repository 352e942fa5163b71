// Runs the worker of a node: finds the supervisors that still run, opens the links to the
// controller and to readers of logs, and serves them until the program is asked to end. Called by
// worker/main.cpp. The code is in the .cpp file, so that main.cpp does not compile all that it
// uses.
#pragma once

#include "common/cluster/config.h"
#include "common/io/log_settings.h"

namespace cox {

// Returns the exit code of the program. `scope`: supervisors are started in a systemd scope
// (worker/io/scope.h).
int host_worker(const WorkerConfig& config, const LogSettingsFile& log_settings, bool scope);

}  // namespace cox
