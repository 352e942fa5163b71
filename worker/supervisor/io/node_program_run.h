// One run of the node's prolog or epilog: a process in a session of its own, with a time limit. Its
// input is empty; the beginning of its output is kept. Nothing here blocks: the owner polls fd(),
// reaps pid() and calls is_stuck().
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "common/base/result.h"
#include "common/base/time.h"
#include "common/job/site_programs.h"
#include "worker/supervisor/io/files/descriptor.h"

namespace cox {

class NodeProgramRun {
 public:
  // A process that survives SIGKILL, because it hangs in the kernel, is given up after this time.
  static constexpr Milliseconds kill_wait{5'000};

  // Starts the program. `environment`: NAME=value each. is_stuck() kills it after `limit`.
  static Result<NodeProgramRun> start(const std::string& path, std::vector<std::string> environment,
                                      Milliseconds limit);

  int fd() const { return output_.get(); }
  pid_t pid() const { return pid_; }
  void read();  // reads the output that is available

  // Kills the program when its time limit has passed. True: it has survived SIGKILL for kill_wait
  // and must be given up.
  bool is_stuck(Boot now);
  // Returns when is_stuck() must be called next.
  Boot looks_at() const { return is_late_ ? until_ + kill_wait : until_; }

  // Called after pid() was reaped: kills the rest of its process group, and returns how the program
  // failed, such as "exit code 3"; empty: it succeeded.
  std::string end(int wait_status);
  std::string why_late() const { return late_text(limit_.count()); }
  const std::string& output() const { return written_; }

 private:
  pid_t pid_ = 0;  // pid, and number of its process group
  Descriptor output_;
  std::string written_;
  Milliseconds limit_{0};
  Boot until_{};
  bool is_late_ = false;
};

}  // namespace cox
