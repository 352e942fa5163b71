// The supervisor's side of the step daemon (worker/stepd): the parent of all tasks that srun starts
// on this node, which forwards their streams. It runs as the job's user, in the attempt's
// containment, and is started with the first step. It dies with the supervisor, and its tasks die
// with it.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "common/base/result.h"
#include "common/job/attempt.h"
#include "common/messages/messages.h"
#include "worker/supervisor/io/containment.h"
#include "worker/supervisor/io/cpu_claim.h"
#include "worker/supervisor/io/frame_stream.h"

namespace cox {

class StepDaemon {
 public:
  // Folder for files of the tasks' MPI libraries, below the supervisor's folder. It belongs to the
  // job's user. The supervisor makes and removes it, because the daemon ends by SIGKILL and removes
  // nothing.
  static constexpr const char* mpi_folder = "mpi";

  static Result<StepDaemon> start(const LaunchSpec& launch, const GoOrder& go,
                                  const std::string& folder, const Containment& containment);

  pid_t pid() const { return pid_; }
  int fd() const { return stream_.fd(); }
  bool wants_write() const { return stream_.wants_write(); }
  // Both return false if the daemon has ended.
  bool send(const Message& message) { return stream_.send(message); }
  bool read(std::vector<StepStatus>& statuses);
  // Lend the tasks' CPUs while they are suspended, and take them back afterwards (cpu_claim.h).
  void lend_cpus() { lend(cpus_); }
  void take_back_cpus() { take_back(cpus_); }

 private:
  StepDaemon(pid_t pid, FrameStream stream) : pid_(pid), stream_(std::move(stream)) {}

  pid_t pid_ = 0;
  FrameStream stream_;
  CpuClaim cpus_;  // claimed while the daemon runs; lent to other attempts while it is suspended
};

}  // namespace cox
