// The part of the class Supervisor (supervisor.h) that handles job steps: it sends orders to the
// step daemon and receives the steps' status from it.
#include <signal.h>
#include <sys/stat.h>

#include <cerrno>

#include "common/base/log_line.h"
#include "worker/supervisor/io/files/files.h"
#include "worker/supervisor/io/supervisor.h"

namespace cox {

using namespace supervisor;

Failure Supervisor::make_mpi_folder() const {
  const std::string path = folder_ + "/" + StepDaemon::mpi_folder;
  if (::mkdir(path.c_str(), 0700) != 0 && errno != EEXIST)
    return io_refusal(path, "make folder", errno);
  return give_to_user(path);
}

void Supervisor::remove_mpi_folder() const {
  if (Failure failure = remove_tree(folder_ + "/" + StepDaemon::mpi_folder))
    say("cannot remove files of MPI programs why=" + quoted_value(failure->fact));
}

void Supervisor::execute(const BeginStep& action) {
  if (!stepd_) {
    if (Failure failure = make_mpi_folder())  // programs without MPI run without it
      say("MPI programs cannot be started why=" + quoted_value(failure->fact));
    auto daemon = StepDaemon::start(launch_, go_order_, folder_, containment_);
    if (!daemon) {
      StepStatus failed;
      failed.number = action.launch.number;
      failed.phase = StepPhase::Gone;
      failed.exit_code = 1;
      failed.note = daemon.refusal().fact;
      feed(StepReported{std::move(failed)});
      return;
    }
    stepd_.emplace(std::move(*daemon));
  }
  send_to_stepd(LaunchStep{{}, launch_.key, action.launch});
}

void Supervisor::execute(const EndStep& action) {
  send_to_stepd(StopStep{{}, launch_.key, action.number});
}

void Supervisor::execute(const SignalSteps& action) {
  for (const std::int32_t signal : action.signals)
    send_to_stepd(
        SignalAttempt{{}, launch_.key, signal, action.number, true, false, action.whole_group});
}

void Supervisor::send_to_stepd(const Message& message) {
  if (stepd_ && !stepd_->send(message)) is_stepd_lost_ = true;
}

void Supervisor::read_stepd() {
  if (!stepd_) return;
  std::vector<StepStatus> statuses;
  if (!stepd_->read(statuses)) is_stepd_lost_ = true;
  for (StepStatus& status : statuses) feed(StepReported{std::move(status)});
  if (!is_stepd_lost_) return;
  is_stepd_lost_ = false;
  // The connection is lost, but the daemon may still run, so it is killed. Its tasks die with it.
  ::kill(stepd_->pid(), SIGKILL);
  stepd_.reset();
  feed(StepdLost{});
}

}  // namespace cox
