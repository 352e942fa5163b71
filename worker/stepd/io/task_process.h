// Starts one task of a step: a child that opens its files or takes its pipes, and execs.
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

// Size of the pipe of an output stream: the largest that the kernel allows unprivileged users.
inline constexpr std::size_t task_pipe_bytes = 1u << 20;

// One standard stream of a task: a pipe to the step daemon, or a file such as /dev/null.
struct TaskStream {
  bool piped = true;
  std::string path;
  bool append = false;
};

struct TaskOrder {
  std::vector<std::string> words;  // the command; the program is looked up in PATH of `environment`
  std::vector<std::string> environment;  // NAME=value
  std::string work_dir;
  mode_t umask = 022;
  TaskStream input;
  TaskStream output;
  TaskStream error;
  // Output is a raw terminal, not a pipe: so programs flush each line.
  bool output_is_terminal = false;
  bool error_joins = false;  // standard error has the destination of the output
  bool pty = false;          // all three streams are one terminal (srun --pty)
  std::int32_t rows = 0;     // rows of that terminal, with pty
  std::int32_t columns = 0;
  std::vector<int> cpus;  // CPUs that the task is bound to; empty: not bound
  // Text about the binding that the task writes to standard error: shown_before, its pid,
  // shown_behind. Empty: it writes none.
  std::string shown_before;
  std::string shown_behind;
  int inherits = -1;                 // descriptor that the task inherits (MPI); below 0: none
  std::vector<TaskProgram> prologs;  // programs that run before the task, as its process's children
  std::vector<SoftLimit> soft_limits;  // soft limits (ulimit -S) of the process that called srun
};

struct TaskProcess {
  pid_t pid = 0;      // pid of the task, and number of its process group
  Descriptor exited;  // pidfd: readable once the task has exited
  Descriptor report;  // pipe with the reason of a failed start; a successful exec closes it
  Descriptor input;   // our end of its standard input; closed: the task has none
  Descriptor output;  // our end of its standard output; for a pty, our end for all streams
  Descriptor error;
};

Result<TaskProcess> start_task(const TaskOrder& order);

}  // namespace cox
