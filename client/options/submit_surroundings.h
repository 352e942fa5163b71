// What a submission depends on besides the options: the user's environment, folder, host and time.
// client/io looks around; pure code gets it as a parameter.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "client/text/moment_format.h"
#include "common/job/soft_limits.h"

namespace cox {

// Returns the text of a file; nothing if the file cannot be read.
using ReadFile = std::function<std::optional<std::string>(const std::string&)>;

struct SubmitSurroundings {
  std::vector<std::string> environment;  // NAME=value
  std::string work_dir;                  // absolute
  std::string submit_host;
  LocalTime here = {};
  std::vector<std::string> login = {};      // NAME=value, from the user database
  std::vector<SoftLimit> soft_limits = {};  // soft limits of this process
  ReadFile read_file = {};                  // reads files that options name
};

}  // namespace cox
