// The interface between a worker and the supervisors on its node. worker/io/processes.h implements
// it; the simulator has its own Launcher, which runs the real supervision logic in virtual time.
//
// Each attempt has a supervisor with a folder named after the attempt. Both survive the worker.
// poll() returns the newest status of each supervisor that reported. The first poll() of a new
// launcher returns a status of every adopted attempt. The worker's first hello lists these, and the
// controller takes an attempt that the hello does not list for gone.
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

struct SupervisorReported {
  AttemptStatus status;
};

// The supervisor's process ended before it reported the phase Gone. By the time of this event the
// launcher has ended every process of the attempt on the node.
struct SupervisorLost {
  AttemptKey key;
  AttemptStatus last;  // last status that the supervisor wrote to disk
};

// The files of the checkpoint that was passed to remove_checkpoint() have been removed.
struct CheckpointGone {
  AttemptKey key;
  std::int64_t step = 0;
};

// CheckpointVerified: the outcome of verify_checkpoint(), without the node's name.
using LauncherEvent =
    std::variant<SupervisorReported, SupervisorLost, CheckpointGone, CheckpointVerified>;

class Launcher {
 public:
  virtual ~Launcher() = default;

  // Writes the launch to the attempt's folder and starts its supervisor. Does nothing if the
  // launcher already has the attempt. A Failure means that the node is at fault (disk, processes).
  virtual Failure prepare(const LaunchSpec& launch) = 0;
  // These functions send a message to the supervisor. It is lost if the connection breaks; the
  // controller repeats an order until a status confirms it.
  virtual void go(AttemptKey key, const GoOrder& order) = 0;
  virtual void stop(AttemptKey key, const StopOrder& order) = 0;
  virtual void suspend(AttemptKey key, const Suspension& order) = 0;
  virtual void renew_lease(AttemptKey key, Boot until) = 0;
  virtual void launch_step(AttemptKey key, const StepLaunch& launch) = 0;
  virtual void stop_step(AttemptKey key, std::int32_t number) = 0;
  virtual void signal(const SignalAttempt& order) = 0;
  // Informs the supervisor that the controller has committed the attempt's status up to this
  // revision.
  virtual void acknowledge(AttemptKey key, std::int64_t revision) = 0;
  // Removes the attempt's folder. REQUIRES: the attempt is Gone and the controller has committed
  // that.
  virtual void forget(AttemptKey key) = 0;
  // Removes the files of a pruned checkpoint; poll() then returns CheckpointGone. Step -1: removes
  // the attempt's checkpoint folder if it is empty, and causes no event.
  virtual void remove_checkpoint(const std::string& job_checkpoint_dir, AttemptKey key,
                                 std::int64_t step) = 0;

  // Reads the files of a checkpoint; poll() then returns CheckpointVerified.
  virtual void verify_checkpoint(const VerifyCheckpoint& order) = 0;

  // Called once, when the controller serves this worker for the first time, before any order. The
  // controller then counts as ended what the node runs and this launcher does not have.
  virtual void served() {}

  // Returns why no attempt can be prepared on this node now; empty: attempts can be prepared.
  virtual std::string unfit() = 0;
  // Returns how long the node's prolog and epilog may delay the reply to a Prepare.
  virtual Milliseconds programs_time() const { return Milliseconds{0}; }

  virtual std::vector<LauncherEvent> poll() = 0;
};

}  // namespace cox
