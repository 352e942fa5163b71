#include "controller/state/deadlines.h"

#include <algorithm>

namespace cox {

const Deadlines& LiveDeadlines::of(JobId id) const {
  static const Deadlines none;
  const auto it = all_.find(id);
  return it == all_.end() ? none : it->second;
}

void LiveDeadlines::begin(const JobEntry& e, Now now) {
  if (is_live(e.job.state)) all_[e.job.id] = made_of(e, now);
}

void LiveDeadlines::move(const JobEntry& e, JobState left, Now now) {
  // Keeps a time limit that is already known on the boot clock: it is more accurate than one
  // computed from the wall clock.
  const std::optional<Boot> limit = of(e.job.id).limit;
  all_.erase(e.job.id);
  begin(e, now);
  if (!is_live(e.job.state) || !limit) return;
  std::optional<Boot>& fresh = all_[e.job.id].limit;
  // A suspended time does not count, but while the job was suspended, its limit was moved only when
  // a worker reported its run time. So the later of the two limits is right.
  fresh = left == JobState::Suspended ? std::max(*limit, fresh.value_or(*limit)) : *limit;
}

void LiveDeadlines::respecify(const JobEntry& e, Now now) {
  if (is_live(e.job.state)) all_[e.job.id].limit = made_of(e, now).limit;
}

void LiveDeadlines::restart_preparing(JobId id, Boot now) {
  if (const auto it = all_.find(id); it != all_.end())
    it->second.prepare = now + config_.prepare_timeout;
}

bool LiveDeadlines::set_limit_end(JobId id, Boot limit) {
  const auto it = all_.find(id);
  if (it == all_.end()) return false;
  it->second.limit = limit;
  return true;
}

Deadlines LiveDeadlines::made_of(const JobEntry& e, Now now) const {
  Deadlines d;
  const Attempt* attempt = e.live_attempt();
  if (attempt == nullptr) return d;
  d.prepare = now.boot + config_.prepare_timeout;
  // Computed by the wall clock, until a worker reports the run time by its boot clock.
  if (attempt->went != Wall{} && e.time_limit_s() > 0)
    d.limit = now.boot - run_time(*attempt, now.wall) + std::chrono::seconds{e.time_limit_s()};
  if (e.job.state == JobState::Signaling) d.grace = now.boot + Milliseconds{attempt->stop.grace_ms};
  if (e.job.state == JobState::Completing) d.settle = now.boot + config_.fault_settle;
  return d;
}

}  // namespace cox
