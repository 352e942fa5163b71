// Reads the settings file of the controller, and restarts the program so that it uses a changed
// file (scontrol reconfigure). Used by controller/main.cpp and start_trial.cpp.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "common/base/result.h"
#include "common/io/config/config_file.h"

namespace cox {

// Reads the file. Refused if the file has no [controller], or if libpq cannot use its `database`.
Result<Config> read_controller_config(const std::string& path);

// Returns the path of this program. After an upgrade of packages, the new version is at that path.
std::string own_program();

// Replaces this process by the same program, with the same arguments and the same process id.
// Closes all files but the standard ones, and restores the limits that a daemon changes for itself.
// Returns only if that fails, with the exit code of this process.
int replace_program(char** arguments);

// The programs of the site, such as those of event triggers, that ran when replace_program() was
// called. They are still children of this process, and would become zombies: what waits for their
// end was lost with the former program, and so are their results. Used by LeaderHost.
class FormerPrograms {
 public:
  // REQUIRES: this program has not started a process yet.
  FormerPrograms();
  // Collects those that have ended. To be called again and again.
  void collect();

 private:
  std::vector<pid_t> running_;
};

}  // namespace cox
