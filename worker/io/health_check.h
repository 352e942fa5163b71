// The administrator's check of this node (Slurm's HealthCheckProgram): a program that is run now
// and then; when it fails, the node gets no work until it passes again.
//
//   OPERATION  look() starts it when it is due, and gives what one has found that has ended. It
//              waits for nothing. The next one is due so long after the end of the last, and not
//              before that is gone.
//   TEARDOWN   one that still runs is killed.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>

#include "common/base/time.h"
#include "worker/supervisor/io/files/descriptor.h"

namespace cox {

class HealthCheck {
 public:
  static constexpr Milliseconds time_limit{60'000};  // as Slurm's

  // An empty program: there is no check. The program gets the node's name as SLURMD_NODENAME.
  HealthCheck(std::string program, Milliseconds interval, Milliseconds limit = time_limit,
              std::string node_name = "");
  ~HealthCheck();
  HealthCheck(const HealthCheck&) = delete;
  HealthCheck& operator=(const HealthCheck&) = delete;

  bool is_there() const { return !program_.empty(); }
  // Of one that has ended: what is wrong with the node, the first line of what it said; empty:
  // nothing.
  std::optional<std::string> look(Boot now);

 private:
  std::optional<std::string> start(Boot now);
  std::string ended(int wait_status);
  void read_output();
  std::optional<std::string> finish(Boot now, std::string found);
  void end_it();

  std::string program_;
  Milliseconds interval_;
  Milliseconds limit_;
  std::string node_name_;
  Boot due_{};      // Boot{}: at once
  Boot ends_by_{};  // of the one that runs
  pid_t pid_ = 0;   // 0: none runs
  pid_t held_ = 0;  // killed, and not gone yet: none is started, what was found stands
  Descriptor output_;
  std::string said_;
};

}  // namespace cox
