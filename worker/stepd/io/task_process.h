// One task of a step: a child that opens its files or takes its pipes, and execs. Nothing here
// waits.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "common/base/result.h"
#include "common/job/soft_limits.h"
#include "worker/supervisor/io/files/descriptor.h"
#include "worker/supervisor/io/task_programs.h"

namespace cox {

inline constexpr std::size_t task_pipe_bytes = 1u << 20;  // the kernel's most for who is not root

// Where one of its streams goes: to a pipe of ours, or to a file; "/dev/null" is one.
struct TaskStream {
  bool piped = true;
  std::string path;
  bool append = false;
};

struct TaskOrder {
  std::vector<std::string> words;        // the program is looked up in the environment's PATH
  std::vector<std::string> environment;  // NAME=value
  std::string work_dir;
  mode_t umask = 022;
  TaskStream input;
  TaskStream output;
  TaskStream error;
  bool output_is_terminal = false;  // where it is piped: a raw one, that programs flush lines to
  bool error_joins = false;         // the output
  bool pty = false;                 // a terminal for all three
  std::int32_t rows = 0;            // of it
  std::int32_t columns = 0;
  std::vector<int> cpus;  // it may run on; empty: all
  // What it tells of that on its standard error: before its pid, and behind it; empty: nothing.
  std::string told_before;
  std::string told_behind;
  int inherits = -1;                   // a descriptor besides 0, 1 and 2
  std::vector<TaskProgram> prologs;    // run before the task, in its process
  std::vector<SoftLimit> soft_limits;  // soft limits of the caller of srun
};

struct TaskProcess {
  pid_t pid = 0;      // also its process group
  Descriptor exited;  // a pidfd: readable once it has
  Descriptor report;  // its start: closed by a successful exec
  Descriptor input;   // ours to write; closed: there is none
  Descriptor output;  // ours to read; of a terminal the other end of all
  Descriptor error;
};

Result<TaskProcess> start_task(const TaskOrder& order);

}  // namespace cox
