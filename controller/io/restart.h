// The settings file of the controller, and a restart of the program that takes it over.
#pragma once

#include <string>

#include "common/base/result.h"
#include "common/io/config/config_file.h"

namespace cox {

// Reads the file. A file without [controller] is refused.
Result<Config> read_controller_config(const std::string& path);

// Reads the file again. Returns why the controller could not start with it.
Failure wrong_settings(const std::string& path);

// Replaces this process by the same program, with the same arguments and the same process id.
// Closes all files but the standard ones, and restores the limits that a daemon changes for itself.
// Returns only if that fails: the exit code.
int replace_program(char** arguments);

}  // namespace cox
