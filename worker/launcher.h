// The launcher: the seam between a worker and the supervisors on its node. worker/io/processes.h is
// the real one; the simulator has its own, which runs the real supervision logic in virtual time.
//
// A supervisor has a folder of its own, named after the attempt; it survives the worker. poll()
// gives what supervisors said, newest status only. The first poll() of a new launcher tells of
// every attempt that it has adopted: the worker's first hello lists them, and what is missing there
// is taken for gone.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "common/base/ids.h"
#include "common/base/result.h"
#include "common/base/time.h"
#include "common/job/attempt.h"
#include "common/messages/worker_messages.h"

namespace cox {

struct SupervisorSaid {
  AttemptStatus status;
};

// The supervisor's process is gone and its last status was not Gone. The launcher has made sure
// that nothing of the attempt is left on the node before it says so.
struct SupervisorLost {
  AttemptKey key;
  AttemptStatus last;  // the last status on disk
};

// What remove_checkpoint() was to remove is gone.
struct CheckpointGone {
  AttemptKey key;
  std::int64_t step = 0;
};

using LauncherEvent = std::variant<SupervisorSaid, SupervisorLost, CheckpointGone>;

class Launcher {
 public:
  virtual ~Launcher() = default;

  // Writes the specification to the attempt's folder and starts its supervisor. Preparing again
  // what is already there does nothing. Failure: the node's fault (disk, processes).
  virtual Failure prepare(const LaunchSpec& launch) = 0;
  // What these tell may be lost with the supervisor's connection; the controller repeats what a
  // status does not confirm.
  virtual void go(AttemptKey key, const GoOrder& order) = 0;
  virtual void stop(AttemptKey key, const StopOrder& order) = 0;
  virtual void suspend(AttemptKey key, const Suspension& order) = 0;
  virtual void renew_lease(AttemptKey key, Boot until) = 0;
  virtual void launch_step(AttemptKey key, const StepLaunch& launch) = 0;
  virtual void stop_step(AttemptKey key, std::int32_t number) = 0;
  virtual void signal(const SignalAttempt& order) = 0;
  // The controller has committed what this revision told.
  virtual void acknowledge(AttemptKey key, std::int64_t revision) = 0;
  // The controller has committed the end: removes the folder. REQUIRES: the status was Gone.
  virtual void forget(AttemptKey key) = 0;
  // Removes a pruned checkpoint's files, and says CheckpointGone. Step -1: removes the attempt's
  // folder if it is empty, without a word.
  virtual void remove_checkpoint(const std::string& job_checkpoint_dir, AttemptKey key,
                                 std::int64_t step) = 0;

  // Why it can prepare nothing now, whatever it is; empty: it can.
  virtual std::string unfit() = 0;
  // How long the prolog and the epilog of the node may take beside a launch.
  virtual Milliseconds programs_time() const { return Milliseconds{0}; }

  virtual std::vector<LauncherEvent> poll() = 0;
};

}  // namespace cox
