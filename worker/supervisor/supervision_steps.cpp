// The steps of an attempt on one node. The step daemon runs them; here is what is asked of it and
// what is told of them.
#include <signal.h>

#include <algorithm>
#include <utility>

#include "common/base/limits.h"
#include "common/base/text.h"
#include "worker/supervisor/supervision.h"

namespace cox {

using namespace supervisor;

namespace {

constexpr std::size_t steps_forgotten_max = 4096;  // the lowest numbers go first
// Of all steps of a status, which must fit into a frame. Thousands may have ended and wait for the
// controller to hear of it, and what a step daemon says is a user's word.
constexpr std::size_t step_notes_bytes_max = 1u << 20;

void mark_gone(StepStatus& step, const std::string& note) {
  step.phase = StepPhase::Gone;
  if (step.exit_code == 0 && step.exit_signal == 0) step.exit_signal = SIGKILL;
  if (step.note.empty()) step.note = note;
}

// Those of the steps that were begun first go first, and `told`'s, the newest, does not.
void drop_notes_beyond(std::vector<StepStatus>& steps, std::int32_t told, std::size_t bytes_max) {
  std::size_t bytes = 0;
  for (const StepStatus& step : steps) bytes += step.note.size();
  for (StepStatus& step : steps) {
    if (bytes <= bytes_max) return;
    if (step.number == told) continue;
    bytes -= step.note.size();
    step.note.clear();
  }
}

}  // namespace

void Supervision::handle(const StepAsked& asked, Now) {
  const std::int32_t number = asked.launch.number;
  if (status_.phase < NodePhase::Running) return;  // the go is on its way, and this said again
  if (find_step(number) != nullptr || steps_forgotten_.contains(number)) return;
  StepStatus step;
  step.number = number;
  if (status_.phase != NodePhase::Running || ending_ != Ending::None)
    mark_gone(step, "its job is ending");
  status_.steps.push_back(step);
  if (step.phase == StepPhase::Gone) return;
  had_steps_ = true;
  step_tasks_[number] = asked.launch.ranks;
  if (suspension_.suspended)
    held_steps_.push_back(asked.launch);
  else
    before_publish_.push_back(BeginStep{asked.launch});
}

void Supervision::handle(const StepStopAsked& asked, Now) {
  if (steps_forgotten_.contains(asked.number)) return;
  StepStatus* step = find_step(asked.number);
  if (step == nullptr) {
    // One whose launch was never sent, or is late: it is told to be gone, and never begins here.
    StepStatus never;
    never.number = asked.number;
    mark_gone(never, "");
    status_.steps.push_back(std::move(never));
    return;
  }
  if (step->phase == StepPhase::Gone) return;
  const auto held = std::ranges::find(held_steps_, asked.number, &StepLaunch::number);
  if (held == held_steps_.end()) {
    before_publish_.push_back(EndStep{asked.number});
    return;
  }
  held_steps_.erase(held);
  mark_gone(*step, "");
}

void Supervision::handle(const SignalAsked& asked, Now) {
  if (status_.phase != NodePhase::Running && status_.phase != NodePhase::Stopping) return;
  if (asked.to_steps && has_live_steps())
    before_publish_.push_back(SignalSteps{{asked.signal}, asked.step, asked.whole_group});
  if (asked.to_ranks) before_publish_.push_back(SignalRanks{{asked.signal}, asked.whole_group});
}

void Supervision::handle(const StepSaid& said, Now now) {
  StepStatus* step = find_step(said.status.number);
  if (step == nullptr || step->phase == StepPhase::Gone) return;
  std::vector<SavedStep> saved = std::move(step->saved);  // the step daemon knows nothing of them
  *step = said.status;
  step->note = cut_text(step->note, limits::reason_bytes_max);
  step->saved = std::move(saved);
  drop_notes_beyond(status_.steps, said.status.number, step_notes_bytes_max);
  settle_exits(now);
}

void Supervision::handle(const StepdLost&, Now now) {
  for (StepStatus& step : status_.steps)
    step.daemon_lost = step.daemon_lost || step.phase != StepPhase::Gone;
  end_live_steps("the step daemon of this node was lost");
  settle_exits(now);
}

void Supervision::handle(const Acknowledged&, Now) {}

void Supervision::forget_steps(std::int64_t revision) {
  std::erase_if(status_.steps, [&](const StepStatus& step) {
    const auto gone = step_gone_in_.find(step.number);
    if (gone == step_gone_in_.end() || gone->second > revision) return false;
    step_gone_in_.erase(gone);
    step_tasks_.erase(step.number);
    steps_forgotten_.insert(step.number);
    return true;
  });
  while (steps_forgotten_.size() > steps_forgotten_max)
    steps_forgotten_.erase(steps_forgotten_.begin());
}

bool Supervision::has_live_steps() const {
  return std::ranges::any_of(status_.steps,
                             [](const StepStatus& step) { return step.phase != StepPhase::Gone; });
}

StepStatus* Supervision::find_step(std::int32_t number) {
  const auto found = std::ranges::find(status_.steps, number, &StepStatus::number);
  return found == status_.steps.end() ? nullptr : &*found;
}

// A step that was asked for while the job was suspended does not begin in a job that ends.
void Supervision::drop_held_steps() {
  for (const StepLaunch& held : std::exchange(held_steps_, {}))
    mark_gone(*find_step(held.number), "its job is ending");
}

// They were ended with everything else that ran here.
void Supervision::end_live_steps(const std::string& note) {
  held_steps_.clear();
  for (StepStatus& step : status_.steps)
    if (step.phase != StepPhase::Gone) mark_gone(step, note);
}

}  // namespace cox
