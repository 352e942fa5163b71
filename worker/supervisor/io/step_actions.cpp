// What supervisor.h does about steps: it hands them to the step daemon, and takes in what that
// says.
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
    say("cannot remove what MPI programs have left why=" + quoted_value(failure->fact));
}

void Supervisor::execute(const BeginStep& action) {
  if (!stepd_) {
    if (Failure failure = make_mpi_folder())  // other programs can do without
      say("MPI programs cannot be started why=" + quoted_value(failure->fact));
    auto daemon = StepDaemon::start(launch_, go_order_, folder_, containment_);
    if (!daemon) {
      StepStatus failed;
      failed.number = action.launch.number;
      failed.phase = StepPhase::Gone;
      failed.exit_code = 1;
      failed.note = daemon.refusal().fact;
      feed(StepSaid{std::move(failed)});
      return;
    }
    stepd_.emplace(std::move(*daemon));
  }
  tell_stepd(LaunchStep{{}, launch_.key, action.launch});
}

void Supervisor::execute(const EndStep& action) {
  tell_stepd(StopStep{{}, launch_.key, action.number});
}

void Supervisor::execute(const SignalSteps& action) {
  for (const std::int32_t signal : action.signals)
    tell_stepd(
        SignalAttempt{{}, launch_.key, signal, action.number, true, false, action.whole_group});
}

void Supervisor::tell_stepd(const Message& message) {
  if (stepd_ && !stepd_->send(message)) is_stepd_lost_ = true;
}

void Supervisor::read_stepd() {
  if (!stepd_) return;
  std::vector<StepStatus> said;
  if (!stepd_->read(said)) is_stepd_lost_ = true;
  for (StepStatus& status : said) feed(StepSaid{std::move(status)});
  if (!is_stepd_lost_) return;
  is_stepd_lost_ = false;
  // Whatever it could not say any more is ended; its tasks die with it.
  ::kill(stepd_->pid(), SIGKILL);
  stepd_.reset();
  feed(StepdLost{});
}

}  // namespace cox
