// The steps of each job's newest attempt, in memory.
#include <algorithm>

#include "common/base/check.h"
#include "common/base/limits.h"
#include "controller/state/cluster.h"

namespace cox {
namespace {

void keep(JobEntry& entry, Step step) {
  std::vector<Step>& steps = entry.steps.change();
  const auto at = std::ranges::lower_bound(steps, step.key.number, {},
                                           [](const Step& one) { return one.key.number; });
  if (at != steps.end() && at->key == step.key) {
    CHECK(!is_final(at->state));
    *at = std::move(step);
  } else {
    steps.insert(at, std::move(step));
  }
}

// Forgets the oldest ended step if there are too many. The newest are kept, so that a repeated
// query of a client finds its step, and next_step() the last number.
void forget_old(JobEntry& entry) {
  if (entry.steps.size() <= limits::steps_kept_max) return;
  const auto has_ended = [](const Step& step) { return is_final(step.state); };
  const auto ended = std::ranges::count_if(entry.steps, has_ended);
  if (ended <= static_cast<std::ptrdiff_t>(limits::steps_kept_max)) return;
  std::vector<Step>& steps = entry.steps.change();
  steps.erase(std::ranges::find_if(steps, has_ended));
}

}  // namespace

void Cluster::load_steps(std::vector<Step> steps) {
  for (Step& step : steps) {
    JobEntry& e = jobs_.entry(step.key.attempt.job);
    CHECK(!e.attempts.empty() && e.attempts.back().key == step.key.attempt);
    keep(e, std::move(step));
    forget_old(e);
  }
}

void Cluster::apply_one(const StepPut& change, Now) {
  JobEntry& e = jobs_.entry(change.step.key.attempt.job);
  CHECK(e.live_attempt() != nullptr && e.live_attempt()->key == change.step.key.attempt);
  if (is_final(change.step.state)) soft_.forget_streams(change.step.key);
  keep(e, change.step);
  forget_old(e);
  ++e.change_count;
}

}  // namespace cox
