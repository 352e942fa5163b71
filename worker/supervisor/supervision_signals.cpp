// The part of Supervision that chooses which processes get the signal that asks an attempt to save
// or to end.
#include <signal.h>

#include <algorithm>
#include <utility>

#include "worker/supervisor/cancelled_line.h"
#include "worker/supervisor/supervision.h"

namespace cox {

using namespace supervisor;

// Sends the signal that the job chose (--signal, --checkpoint-signal), only to the processes of its
// ranks and tasks: a helper that one of them has started, such as `cox checkpoint done`, may have
// no handler. In a batch job the tasks of its steps get the signal. The script's shell gets it if
// the job asked for that by "B:", or if no step runs and the signal is that of --checkpoint-signal.
void Supervision::ask_to_save() {
  const SignalRequest& warning = launch_.spec.signal;
  const bool at_end = order_.why == StopWhy::TimeLimit || order_.why == StopWhy::Deadline;
  const bool is_warning = asks_by_signal(launch_.spec, order_.why);
  const std::int32_t chosen = is_warning ? warning.number : launch_.spec.checkpoint_signal;
  const bool shell_only = is_warning && warning.batch_only;
  const bool is_batch = launch_.spec.form == JobForm::Batch;
  const bool signals_steps = has_live_steps() && !shell_only;
  // The shell gets no --signal without "B:", as in Slurm; if no step runs, no process gets it.
  const bool reaches_nobody = is_batch && is_warning && !shell_only && !signals_steps;
  // A job that chose no signal gets SIGCONT and SIGTERM, as under Slurm.
  if (chosen == 0 || (reaches_nobody && !at_end))
    return signal_to_stop({{SIGCONT, SIGTERM}, true}, has_live_steps());
  if (!reaches_nobody) signal_to_stop({{chosen}, false}, signals_steps);
}

// Signals the steps if `signals_steps`. Signals the ranks if not, or if the job is a gang.
void Supervision::signal_to_stop(SignalRanks signal, bool signals_steps) {
  signal.reason = reason_to_write(signal.signals);
  if (signals_steps) before_publish_.push_back(SignalSteps{signal.signals, -1, signal.whole_group});
  steps_signalled_ = signals_steps;
  const bool signals_ranks = !signals_steps || launch_.spec.form == JobForm::Gang;
  if (!signals_ranks) signal.signals.clear();
  if (signals_ranks || signal.reason != StopWhy::None) before_publish_.push_back(signal);
}

// Returns the reason of the stop that is to be written to the batch script's standard error; None:
// write nothing. As in Slurm it is written once, with the first SIGTERM. It is not written with a
// signal that the job chose, after which the script may run on.
StopWhy Supervision::reason_to_write(const std::vector<std::int32_t>& signals) {
  const bool ends = std::ranges::find(signals, SIGTERM) != signals.end();
  if (!ends || launch_.spec.form != JobForm::Batch || all_exited()) return StopWhy::None;
  if (std::exchange(has_reported_end_, true)) return StopWhy::None;
  return is_shown_as_cancelled(order_.why) ? order_.why : StopWhy::None;
}

// Stops a batch script whose steps were asked to stop with their attempt and have ended: the rest
// of the script is for steps that have done their work. As under Slurm, a mere warning before the
// time limit does not stop the script. If the job has other nodes, too, where tasks may still save,
// the controller ends the script (end_script_after_steps, controller/attempt/attempt.cpp).
void Supervision::stop_script_after_steps(Now now) {
  const bool was_asked = ending_ == Ending::Asked && steps_signalled_ && is_asked_to_stop();
  if (!was_asked || launch_.spec.form != JobForm::Batch || launch_.nodes.size() > 1) return;
  if (!has_live_steps() && unreleased_steps_.empty()) terminate(now);
}

}  // namespace cox
