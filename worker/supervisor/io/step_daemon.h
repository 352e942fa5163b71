// The step daemon of an attempt on this node (worker/stepd): the parent of all tasks that srun
// starts here, and what their streams go through. It runs as the job's user, in the attempt's
// containment, and is started when the first step comes. It dies with the supervisor, and its tasks
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
  // Below the supervisor's folder, for what the tasks' MPI libraries keep in files. It is theirs,
  // made before the daemon is started, and goes with the attempt: the daemon ends by SIGKILL.
  static constexpr const char* mpi_folder = "mpi";

  static Result<StepDaemon> start(const LaunchSpec& launch, const GoOrder& go,
                                  const std::string& folder, const Containment& containment);

  pid_t pid() const { return pid_; }
  int fd() const { return stream_.fd(); }
  bool wants_write() const { return stream_.wants_write(); }
  // False, both: it is gone.
  bool send(const Message& message) { return stream_.send(message); }
  bool read(std::vector<StepStatus>& said);
  // Its tasks' CPUs, while they stand still and afterwards (cpu_claim.h).
  void lend_cpus() { lend(cpus_); }
  void take_back_cpus() { take_back(cpus_); }

 private:
  StepDaemon(pid_t pid, FrameStream stream) : pid_(pid), stream_(std::move(stream)) {}

  pid_t pid_ = 0;
  FrameStream stream_;
  CpuClaim cpus_;  // held as long as it runs, lent while it stands still
};

}  // namespace cox
