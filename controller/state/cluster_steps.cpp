// Steps in the controller's memory: those of each job's newest attempt.
#include <algorithm>

#include "common/base/check.h"
#include "common/base/limits.h"
#include "controller/state/cluster.h"

namespace cox {
namespace {

void keep(JobEntry& entry, Step step) {
  entry.next_step = std::max(entry.next_step, step.key.number + 1);
  const auto at = std::ranges::lower_bound(entry.steps, step.key.number, {},
                                           [](const Step& one) { return one.key.number; });
  if (at != entry.steps.end() && at->key == step.key) {
    CHECK(!is_final(at->state));
    *at = std::move(step);
  } else {
    entry.steps.insert(at, std::move(step));
  }
}

// Of those that have ended the newest are kept, so that a client that asks again finds its own.
void forget_old(JobEntry& entry) {
  if (entry.steps.size() <= limits::steps_kept_max) return;
  const auto has_ended = [](const Step& step) { return is_final(step.state); };
  const auto ended = std::ranges::count_if(entry.steps, has_ended);
  if (ended <= static_cast<std::ptrdiff_t>(limits::steps_kept_max)) return;
  entry.steps.erase(std::ranges::find_if(entry.steps, has_ended));
}

}  // namespace

void Cluster::load_steps(std::vector<Step> steps) {
  for (Step& step : steps) {
    JobEntry& e = entry(step.key.attempt.job);
    CHECK(!e.attempts.empty() && e.attempts.back().key == step.key.attempt);
    keep(e, std::move(step));
    forget_old(e);
  }
}

void Cluster::apply_one(const StepPut& change, Now) {
  JobEntry& e = entry(change.step.key.attempt.job);
  CHECK(e.live_attempt() != nullptr && e.live_attempt()->key == change.step.key.attempt);
  if (is_final(change.step.state)) streams_.erase(change.step.key);
  keep(e, change.step);
  forget_old(e);
  ++e.change_count;
}

const StreamPlace* Cluster::streams_of(const StepKey& key) const {
  const auto found = streams_.find(key);
  return found == streams_.end() ? nullptr : &found->second;
}

}  // namespace cox
