// posix_spawn with the settings that cox-supervisor needs: a new session, no inherited descriptors
// except the named ones, default signal handling. (fork of a large process is far slower.)
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "common/base/result.h"

namespace cox {

struct SpawnRequest {
  std::vector<std::string> words;  // path of the program, then its arguments
  std::string log_path;            // file for standard output and error; empty: /dev/null
  std::vector<int> descriptors;    // inherited; they become 3, 4, … in the child
  // NAME=value each. They are added to the environment of this process and override its variables.
  std::vector<std::string> variables{};
  int output = -1;  // descriptor for standard output and error instead of log_path; below 0: none
};

// Starts the program and returns its pid. The caller reaps it.
Result<pid_t> spawn_process(const SpawnRequest& request);

}  // namespace cox
