// Reads the settings file of the controller, and restarts the program so that it uses a changed
// file (scontrol reconfigure). Used by controller/main.cpp and leader_host.cpp.
#pragma once

#include <string>

#include "common/base/result.h"
#include "common/io/config/config_file.h"

namespace cox {

// Reads the file. Refused if the file has no [controller].
Result<Config> read_controller_config(const std::string& path);

// Reads the file again. Returns why the controller could not start with it; nothing if it could.
Failure wrong_settings(const std::string& path);

// Replaces this process by the same program, with the same arguments and the same process id.
// Closes all files but the standard ones, and restores the limits that a daemon changes for itself.
// Returns only if that fails, with the exit code of this process.
int replace_program(char** arguments);

}  // namespace cox
