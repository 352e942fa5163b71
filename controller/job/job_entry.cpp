#include "controller/job/job_entry.h"

#include <algorithm>

namespace cox {

std::int64_t JobEntry::time_limit_s() const {
  const Attempt* attempt = live_attempt();
  if (attempt != nullptr && attempt->time_limit_s > 0) return attempt->time_limit_s;
  return job.spec->time_limit_s;
}

bool JobEntry::is_eligible() const {
  return job.state == JobState::Pending && !job.held && !waits_to_retry &&
         job.dependencies.empty() && !waits_to_begin && !kept_out;
}

const Attempt* JobEntry::live_attempt() const {
  if (attempts.empty() || attempts.back().ended != Wall{}) return nullptr;
  return &attempts.back();
}

const Attempt* JobEntry::ended_attempt() const {
  return job.state == JobState::Pending && !attempts.empty() ? &attempts.back() : nullptr;
}

const Checkpoint* JobEntry::newest_checkpoint() const {
  for (auto it = checkpoints.rbegin(); it != checkpoints.rend(); ++it)
    if (!it->damaged && !it->pruned && !it->set_aside) return &*it;
  return nullptr;
}

const Checkpoint* JobEntry::checkpoint_to_resume() const {
  const auto is_to_be_looked_at = [&](const Checkpoint& c) {
    return c.damaged_in == AttemptNumber{} || std::ranges::any_of(attempts, [&](const Attempt& a) {
             return a.key.attempt > c.damaged_in && a.went != Wall{};
           });
  };
  const Checkpoint* newest_damaged = nullptr;
  for (auto it = checkpoints.rbegin(); it != checkpoints.rend(); ++it) {
    if (it->pruned || it->set_aside) continue;
    if (!it->damaged || is_to_be_looked_at(*it)) return &*it;
    if (newest_damaged == nullptr) newest_damaged = &*it;
  }
  return newest_damaged;
}

Wall JobEntry::newest_moment() const {
  Wall newest = std::max(job.submitted, job.ended);
  if (attempts.empty()) return newest;
  const Attempt& a = attempts.back();
  for (const Wall each : {a.began, a.went, a.stop_asked, a.ended, a.resumed})
    newest = std::max(newest, each);
  return a.suspended_at.empty() ? newest : std::max(newest, a.suspended_at.back());
}

std::int32_t JobEntry::next_step() const {
  return steps.empty() ? 0 : steps.back().key.number + 1;
}

const Step* JobEntry::step(std::int32_t number) const {
  const auto at =
      std::ranges::lower_bound(steps, number, {}, [](const Step& one) { return one.key.number; });
  return at != steps.end() && at->key.number == number ? &*at : nullptr;
}

}  // namespace cox
