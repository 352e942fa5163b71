// Runs one of the controllers of a cluster: it stands by until it leads, then opens the store,
// starts the controller, and repeats: wait, receive, run turns, send. LeaderLoop
// (controller/leader/leader_loop.h) decides when it stands by, leads and ends; this carries out the
// loop's actions. Called by controller/main.cpp. The class is in the .cpp file, so that main.cpp
// does not compile all that it uses.
#pragma once

#include <string>

#include "common/cluster/config.h"
#include "common/io/link.h"
#include "common/io/log_settings.h"
#include "controller/io/postgres/pg_servers.h"

namespace cox {

constexpr int exit_to_restart = -1;  // result of host_leader(): the program is to be restarted

// Returns when the program ends: its exit code, or exit_to_restart. `path`: of the settings file,
// which scontrol reconfigure checks. REQUIRES: the schema exists.
int host_leader(const std::string& path, const ControllerConfig& config, PgServers& servers,
                Listener& listener, Poller& poller, const LogSettingsFile& log_settings);

}  // namespace cox
