// What signals to srun mean for its step. As in Slurm's srun.
#include <signal.h>

#include "client/step_session.h"

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
    say("Cancelled pending job step with signal " + std::to_string(signal.number));
    return give_up_waiting("", settings_.exit_error, now);
  }
  if (settings_.attached) {
    if (ends) leave_it(signal_base + signal.number);
    return;
  }
  if (signal.number != SIGINT || asked_.pty) return tell_tasks(signal.number);
  interrupted(now);
}

// The first tells how it stands, a second one soon after goes to the tasks, a third ends the step.
void StepSession::interrupted(Now now) {
  const auto is_soon = [&](const std::optional<Boot>& before) {
    return before && now.boot - *before <= interrupt_again;
  };
  const bool forces = asked_.quit_on_interrupt || is_soon(sent_at_);
  if (forces) {
    say("forcing termination");
    tell_tasks(SIGKILL);
    return end_step();
  }
  if (asked_.interrupt_at_once || is_soon(interrupted_at_)) {
    say("sending Ctrl-C to " + id());
    sent_at_ = now.boot;
    return tell_tasks(SIGINT);
  }
  interrupted_at_ = now.boot;
  say("interrupt (one more within 1 sec to abort)");
  show_tasks();
}

void StepSession::handle(const Resized& size, Now) {
  settings_.rows = begin_.rows = size.rows;
  settings_.columns = begin_.columns = size.columns;
  for (const Node& node : nodes_) tell(node, WindowSize{size.rows, size.columns});
}

}  // namespace cox
