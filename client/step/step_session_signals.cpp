// The part of StepSession that handles signals to srun, as Slurm's srun does.
#include <signal.h>

#include <utility>

#include "client/step/step_session.h"

namespace cox {

using namespace srun;

namespace {

constexpr int signal_base = 128;

}  // namespace

void StepSession::handle(const Signalled& signal, Now now) {
  const bool ends = signal.number == SIGINT || signal.number == SIGTERM ||
                    signal.number == SIGHUP || signal.number == SIGQUIT;
  if (!runs()) {
    if (!ends || abandoned_) return;
    say("Cancelled pending step for job " + std::to_string(settings_.plan.create.job.value));
    return give_up_waiting("", settings_.exit_error, now);
  }
  if (settings_.attached) {
    if (ends) detach(signal_base + signal.number);
    return;
  }
  if (signal.number != SIGINT || asked_.pty) return signal_tasks(signal.number);
  interrupted(now);
}

// Handles Ctrl-C (SIGINT). The first one prints the states of the tasks; with --disable-status it
// is sent to the tasks instead. A second one within 1 s is sent to the tasks, and the step is
// ended. After that, each further one kills the tasks with SIGKILL, at any time. With
// --quit-on-interrupt the first one kills the tasks and ends the step.
void StepSession::interrupted(Now now) {
  const bool is_soon =
      forced_ || (interrupted_at_ && now.boot - *interrupted_at_ < interrupt_again);
  if (asked_.quit_on_interrupt || is_soon) {
    say("sending Ctrl-C to " + id());
    signal_tasks(SIGINT);
    return force_end();
  }
  interrupted_at_ = now.boot;
  if (asked_.interrupt_at_once) {
    say("sending Ctrl-C to " + id());
    return signal_tasks(SIGINT);
  }
  say("interrupt (one more within 1 sec to abort)");
  show_tasks();
}

void StepSession::force_end() {
  const bool is_again = std::exchange(forced_, true);
  say(is_again ? "job abort in progress" : "forcing job termination");
  if (is_again) return signal_tasks(SIGKILL);
  say_aborted();
  end_step(asked_.quit_on_interrupt ? SIGKILL : 0);
}

void StepSession::handle(const Resized& size, Now) {
  settings_.rows = begin_.rows = size.rows;
  settings_.columns = begin_.columns = size.columns;
  for (const Node& node : nodes_) send(node, WindowSize{size.rows, size.columns});
}

}  // namespace cox
