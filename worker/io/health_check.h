// The administrator's check of this node (Slurm's HealthCheckProgram): a program that runs
// periodically. While it fails, the node gets no work.
//
//   OPERATION  look() starts the program when it is due, and returns the finding of a run that has
//              ended. It never blocks. The next run is due one interval after the end of the last.
//   TEARDOWN   a run in progress is killed.
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

  // If `program` is empty, there is no check. The program gets `node_name` as SLURMD_NODENAME.
  HealthCheck(std::string program, Milliseconds interval, Milliseconds limit = time_limit,
              std::string node_name = "");
  ~HealthCheck();
  HealthCheck(const HealthCheck&) = delete;
  HealthCheck& operator=(const HealthCheck&) = delete;

  bool is_there() const { return !program_.empty(); }
  // Returns the finding of a run that has ended since the last call: what is wrong with the node
  // (the first line of the program's output); empty: nothing is wrong. None: no run has ended.
  std::optional<std::string> look(Boot now);

 private:
  std::optional<std::string> start(Boot now);
  std::string ended(int wait_status);
  void read_output();
  std::optional<std::string> finish(Boot now, std::string found);
  void end_program();

  std::string program_;
  Milliseconds interval_;
  Milliseconds limit_;
  std::string node_name_;
  Boot due_{};      // Boot{}: at once
  Boot ends_by_{};  // when the running program is killed
  pid_t pid_ = 0;   // 0: none runs
  // Pid of a program that was killed but not reaped yet; no run starts until then. 0: none.
  pid_t held_ = 0;
  Descriptor output_;
  std::string printed_;
};

}  // namespace cox
