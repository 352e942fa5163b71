// Where the streams of a step's tasks go and come from: what --output, --error and --input come to,
// once it is known how many tasks there are. Pure.
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
  std::string path;             // File: the nodes'; Client: a file that srun opens. Empty: its own
  std::int32_t only_rank = -1;  // this task's alone
};

struct StepRoutes {
  StreamRoute input;
  StreamRoute output;
  StreamRoute error;
  bool error_joins = false;  // it goes the way of the output
  bool append = false;
};

// What file names are made of, besides the step.
struct StepNames {
  std::string job_name;
  std::string here;  // srun's folder
};

StepRoutes route_streams(const StepOptions& asked, const StepView& step, const StepNames& names);

// The files that srun opens and whose names do not depend on the step. srun can check them before
// it submits anything.
struct KnownFiles {
  std::string input;                 // empty: none
  std::vector<std::string> outputs;  // of --output and --error
};
KnownFiles known_files(const StepOptions& asked, const std::string& here);

// It has a %t, %n or %N: each task, or each node, has a file of its own.
bool is_per_task(const std::string& pattern);

}  // namespace cox
