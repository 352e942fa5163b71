// The part of Supervision for job steps (srun) of an attempt on one node: the orders to the step
// daemon, which runs them, and their status.
#include <signal.h>

#include <algorithm>
#include <utility>

#include "common/base/limits.h"
#include "common/base/text.h"
#include "worker/supervisor/supervision.h"

namespace cox {

using namespace supervisor;

namespace {

// Beyond this, the lowest step numbers are dropped.
constexpr std::size_t steps_forgotten_max = 4096;
// Limit on the notes of all steps in a status, which must fit into a frame. Thousands of ended
// steps may wait to be acknowledged, and the notes come from the step daemon, which runs as the
// user.
constexpr std::size_t step_notes_bytes_max = 1u << 20;

// The figures come from the step daemon, which runs as the user. The controller adds those of all
// nodes, so each is at most so large that the sum of limits::nodes_per_job_max nodes is no
// overflow.
constexpr std::int64_t figure_max = 100'000'000'000'000;

void bound_figures(StepStatus& step) {
  TaskFigures& all = step.figures;
  for (std::int64_t* each :
       {&step.usage.user_cpu_ms, &step.usage.system_cpu_ms, &step.usage.max_rss_kb, &all.tasks,
        &all.rss_kb, &all.read_bytes, &all.written_bytes, &all.most_rss_kb.amount,
        &all.most_read_bytes.amount, &all.most_written_bytes.amount, &all.least_cpu_ms.amount})
    *each = std::clamp<std::int64_t>(*each, 0, figure_max);
}

void mark_gone(StepStatus& step, const std::string& note) {
  step.phase = StepPhase::Gone;
  if (step.exit_code == 0 && step.exit_signal == 0) step.exit_signal = SIGKILL;
  if (step.note.empty()) step.note = note;
}

// Clears the notes of steps, the oldest first, until the notes fit into `bytes_max`. Keeps the note
// of the step that reported last.
void drop_notes_beyond(std::vector<StepStatus>& steps, std::int32_t spared, std::size_t bytes_max) {
  std::size_t bytes = 0;
  for (const StepStatus& step : steps) bytes += step.note.size();
  for (StepStatus& step : steps) {
    if (bytes <= bytes_max) return;
    if (step.number == spared) continue;
    bytes -= step.note.size();
    step.note.clear();
  }
}

}  // namespace

void Supervision::handle(const StepOrdered& asked, Now now) {
  const std::int32_t number = asked.launch.number;
  // Too early; the controller repeats the order after the Go.
  if (status_.phase < NodePhase::Running) return;
  if (find_step(number) != nullptr || steps_forgotten_.contains(number)) return;
  StepStatus step;
  step.number = number;
  if (status_.phase != NodePhase::Running || ending_ != Ending::None)
    mark_gone(step, "its job is ending");
  status_.steps.push_back(step);
  if (step.phase == StepPhase::Gone) return;
  had_steps_ = true;
  step_tasks_[number] = {asked.launch.ranks, asked.launch.tasks, now.boot};
  if (suspension_.suspended)
    held_steps_.push_back(asked.launch);
  else
    before_publish_.push_back(BeginStep{asked.launch});
}

void Supervision::handle(const StepStopOrdered& asked, Now) {
  if (steps_forgotten_.contains(asked.number)) return;
  StepStatus* step = find_step(asked.number);
  if (step == nullptr) {
    // The order to start this step was never sent, or is late. The step is reported as gone and
    // will not start here.
    StepStatus never;
    never.number = asked.number;
    mark_gone(never, "");
    status_.steps.push_back(std::move(never));
    return;
  }
  if (step->phase == StepPhase::Gone) return;
  steps_stopped_alone_.insert(asked.number);
  const auto held = std::ranges::find(held_steps_, asked.number, &StepLaunch::number);
  if (held == held_steps_.end()) {
    before_publish_.push_back(EndStep{asked.number});
    return;
  }
  held_steps_.erase(held);
  mark_gone(*step, "");
}

void Supervision::handle(const SignalOrdered& asked, Now) {
  if (status_.phase != NodePhase::Running && status_.phase != NodePhase::Stopping) return;
  if (asked.to_steps && has_live_steps())
    before_publish_.push_back(SignalSteps{{asked.signal}, asked.step, asked.whole_group});
  if (asked.to_ranks) before_publish_.push_back(SignalRanks{{asked.signal}, asked.whole_group});
}

void Supervision::handle(const StepReported& reported, Now now) {
  const bool is_gone = reported.status.phase == StepPhase::Gone;
  if (is_gone && unreleased_steps_.erase(reported.status.number) > 0) return settle_exits(now);
  StepStatus* step = find_step(reported.status.number);
  if (step == nullptr || step->phase == StepPhase::Gone) return;
  // Kept, because the step daemon does not report saved steps.
  std::vector<SavedStep> saved = std::move(step->saved);
  *step = reported.status;
  bound_figures(*step);
  step->note = cut_text(step->note, limits::reason_bytes_max);
  step->saved = std::move(saved);
  if (is_gone) {
    step->asked_to_stop = is_asked_to_stop() || steps_stopped_alone_.contains(step->number);
    unreleased_steps_.insert(step->number);
    release_by_ = now.boot + release_max;
    if (has_saves(step->number)) savers_gone_.emplace(step->number, now.boot);
  }
  drop_notes_beyond(status_.steps, reported.status.number, step_notes_bytes_max);
  settle_exits(now);
}

void Supervision::handle(const StepdLost&, Now now) {
  for (StepStatus& step : status_.steps) {
    if (step.phase != StepPhase::Gone) {
      step.daemon_lost = true;
      if (has_saves(step.number)) savers_gone_.emplace(step.number, now.boot);
    }
  }
  end_live_steps("the step daemon of this node was lost");
  unreleased_steps_.clear();
  settle_exits(now);
}

void Supervision::handle(const Acknowledged&, Now) {}

void Supervision::forget_steps(std::int64_t revision) {
  std::erase_if(status_.steps, [&](const StepStatus& step) {
    const auto gone = step_gone_in_.find(step.number);
    if (gone == step_gone_in_.end() || gone->second > revision) return false;
    step_gone_in_.erase(gone);
    step_tasks_.erase(step.number);
    steps_stopped_alone_.erase(step.number);
    steps_forgotten_.insert(step.number);
    return true;
  });
  while (steps_forgotten_.size() > steps_forgotten_max)
    steps_forgotten_.erase(steps_forgotten_.begin());
}

// No longer waits until the sruns of ended steps have received everything.
void Supervision::release_steps(Now now) {
  unreleased_steps_.clear();
  settle_exits(now);
}

bool Supervision::has_live_steps() const {
  return std::ranges::any_of(status_.steps,
                             [](const StepStatus& step) { return step.phase != StepPhase::Gone; });
}

StepStatus* Supervision::find_step(std::int32_t number) {
  const auto found = std::ranges::find(status_.steps, number, &StepStatus::number);
  return found == status_.steps.end() ? nullptr : &*found;
}

// Marks steps as gone that were ordered while the job was suspended: they do not begin in a job
// that ends.
void Supervision::drop_held_steps() {
  for (const StepLaunch& held : std::exchange(held_steps_, {}))
    mark_gone(*find_step(held.number), "its job is ending");
}

// Marks all steps as gone. Their processes have ended with the step daemon or the attempt.
void Supervision::end_live_steps(const std::string& note) {
  held_steps_.clear();
  for (StepStatus& step : status_.steps)
    if (step.phase != StepPhase::Gone) mark_gone(step, note);
}

}  // namespace cox
