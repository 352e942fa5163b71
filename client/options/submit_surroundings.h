// The facts besides its options that a submission depends on: the user's environment, folder, host
// and time. client/io collects them; pure code gets them as a parameter.
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
  // variables of a login ("NAME=value"), such as HOME, from the user database
  std::vector<std::string> login = {};
  std::vector<SoftLimit> soft_limits = {};  // soft resource limits of the calling process
  ReadFile read_file = {};  // reads a file that an option names, such as --nodelist=FILE
};

}  // namespace cox
