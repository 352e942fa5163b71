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
  const Deadlines before = of(e.job.id);
  all_.erase(e.job.id);
  begin(e, now);
  const std::optional<Boot> fresh = of(e.job.id).ran_from;
  if (!fresh) return;
  if (!before.ran_from) return run_from(e, *fresh, true);
  // What is known on the boot clock is more accurate than what follows from the wall clock. A
  // suspended time does not count, but while the job was suspended, `ran_from` was moved only when
  // a worker reported its run time. So the later of the two is right.
  run_from(e, left == JobState::Suspended ? std::max(*before.ran_from, *fresh) : *before.ran_from,
           before.is_proven);
}

void LiveDeadlines::respecify(const JobEntry& e) {
  const Deadlines known = of(e.job.id);
  if (known.ran_from) run_from(e, *known.ran_from, known.is_proven);
}

void LiveDeadlines::restart_preparing(JobId id, Boot now) {
  if (const auto it = all_.find(id); it != all_.end())
    it->second.prepare = now + config_.prepare_timeout;
}

bool LiveDeadlines::take_run_time(const JobEntry& e, Milliseconds ran, Boot now) {
  if (!all_.contains(e.job.id)) return false;
  run_from(e, now - ran, true);
  return of(e.job.id).limit.has_value();
}

void LiveDeadlines::run_from(const JobEntry& e, Boot ran_from, bool is_proven) {
  Deadlines& d = all_.at(e.job.id);
  d.ran_from = ran_from;
  d.is_proven = is_proven;
  d.limit = e.time_limit_s() > 0 ? std::optional(ran_from + std::chrono::seconds{e.time_limit_s()})
                                 : std::nullopt;
}

Deadlines LiveDeadlines::made_of(const JobEntry& e, Now now) const {
  Deadlines d;
  const Attempt* attempt = e.live_attempt();
  if (attempt == nullptr) return d;
  d.prepare = now.boot + config_.prepare_timeout;
  if (attempt->went != Wall{}) d.ran_from = now.boot - run_time(*attempt, now.wall);
  if (d.ran_from && e.time_limit_s() > 0)
    d.limit = *d.ran_from + std::chrono::seconds{e.time_limit_s()};
  if (e.job.state == JobState::Signaling) d.grace = now.boot + Milliseconds{attempt->stop.grace_ms};
  if (e.job.state == JobState::Completing) d.settle = now.boot + config_.fault_settle;
  return d;
}

}  // namespace cox
