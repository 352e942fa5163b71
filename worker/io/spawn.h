// posix_spawn, with what cox-supervisor needs: a session of its own, nothing inherited but what is
// named, signals as a fresh program has them. (fork of a grown process is several times slower.)
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "common/base/result.h"

namespace cox {

struct SpawnRequest {
  std::vector<std::string> words;  // the program's path first
  std::string log_path;            // standard output and error; empty: /dev/null
  std::vector<int> descriptors;    // arrive as 3, 4, …
  // NAME=value each, beside this process's own variables and in place of those.
  std::vector<std::string> variables{};
  int output = -1;  // takes standard output and error instead of log_path
};

// The caller reaps it.
Result<pid_t> spawn_process(const SpawnRequest& request);

}  // namespace cox
