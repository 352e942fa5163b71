// Determines where the tasks' output goes and where their input comes from, once the number of
// tasks is known, by the options --output, --error and --input. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "client/options/step_options.h"
#include "common/messages/client_messages.h"
#include "common/messages/stream_messages.h"

namespace cox {

struct StreamRoute {
  StreamMode mode = StreamMode::Client;
  // StreamMode::File: the path or pattern that the nodes open. StreamMode::Client: the file that
  // srun opens; empty: srun's own standard stream.
  std::string path;
  std::int32_t only_rank = -1;  // only the stream of this task; -1: of all tasks
};

struct StepRoutes {
  StreamRoute input;
  StreamRoute output;
  StreamRoute error;
  bool error_joins = false;  // stderr of the tasks goes to the same place as stdout
  bool append = false;
};

// Facts for patterns in file names, such as %x, besides those in the step's view.
struct StepNames {
  std::string job_name;
  std::string here;  // srun's current folder
};

StepRoutes route_streams(const StepOptions& asked, const StepView& step, const StepNames& names);

// The files that srun itself opens and whose names do not depend on the step. srun can check them
// before it creates the step.
struct KnownFiles {
  std::string input;                 // path in --input; empty: it names no such file
  std::vector<std::string> outputs;  // from --output and --error
};
KnownFiles known_files(const StepOptions& asked, const std::string& here);

// Returns whether the file name has %t, %n or %N, so that each task or node has its own file.
bool is_per_task(const std::string& pattern);

}  // namespace cox
