// One run of the node's prolog or epilog: a process in a session of its own, with a time limit. It
// reads nothing, and of what it writes the beginning is kept. Nothing here waits: the supervisor
// polls fd(), reaps pid() and asks take_late().
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
  // A process that the kernel holds after SIGKILL is given up after this time.
  static constexpr Milliseconds kill_wait{5'000};

  // `environment`: NAME=value. After `limit` it is killed.
  static Result<NodeProgramRun> start(const std::string& path, std::vector<std::string> environment,
                                      Milliseconds limit);

  int fd() const { return output_.get(); }
  pid_t pid() const { return pid_; }
  void read();  // what it has written

  // Kills it once its time is over. True: it does not end even so, and must be given up.
  bool is_stuck(Boot now);
  Boot looks_at() const { return is_late_ ? until_ + kill_wait : until_; }  // is_stuck() is due

  // After pid() was reaped: ends what it has left in its process group, and returns how it ended:
  // "exit code 3"; empty: well.
  std::string end(int wait_status);
  std::string why_late() const { return late_text(limit_.count()); }
  const std::string& output() const { return written_; }

 private:
  pid_t pid_ = 0;  // also its process group
  Descriptor output_;
  std::string written_;
  Milliseconds limit_{0};
  Boot until_{};
  bool is_late_ = false;
};

}  // namespace cox
