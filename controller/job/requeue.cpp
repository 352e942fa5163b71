#include "controller/job/requeue.h"

#include <algorithm>

namespace cox {
namespace {

constexpr std::int64_t requeue_delay_first_ms = 1000;
// A job that saves, exits and asks to run again is started at most once in this time.
constexpr Milliseconds attempt_spacing{5'000};

bool made_progress(const JobEntry& entry, const Attempt& attempt) {
  return std::ranges::any_of(entry.checkpoints,
                             [&](const Checkpoint& c) { return c.key == attempt.key; });
}

// Returns how long an attempt must have run so that a requeue of its own does not count as lack of
// progress: launch_retry_max, and at least the first delay, so that a job that requeues itself at
// once always counts.
Milliseconds excused_run_time(const ControllerConfig& config) {
  return std::max(config.launch_retry_max, Milliseconds{requeue_delay_first_ms});
}

bool is_excused(const Attempt& attempt, const ControllerConfig& config) {
  switch (attempt.stop.why) {
    case StopWhy::Preempt:
    case StopWhy::Drain:
    case StopWhy::Migrate:
    case StopWhy::Cancel: return true;  // excused: after a cancel only a user can requeue the job
    case StopWhy::Requeue: return run_time(attempt, attempt.ended) >= excused_run_time(config);
    default: return false;
  }
}

Milliseconds left_of(Milliseconds delay, Wall since, Wall now) {
  return delay - std::max(now - since, Milliseconds{0});
}

bool ended_by_itself(const Attempt& attempt) {
  const StopWhy why = attempt.stop.why;
  return why == StopWhy::None || why == StopWhy::JobEnded || why == StopWhy::Requeue ||
         why == StopWhy::TimeLimit;
}

bool counts(const JobEntry& entry, const Attempt& attempt, const ControllerConfig& config) {
  return attempt.ended != Wall{} && !made_progress(entry, attempt) && !is_excused(attempt, config);
}

}  // namespace

bool never_started(const Attempt& attempt) {
  return std::ranges::all_of(attempt.ranks,
                             [](const RankStatus& r) { return r.phase == RankPhase::Waiting; });
}

// Counts back to the newest attempt that made progress. If the checkpoints of an attempt were
// removed, a later attempt that resumed from it still shows that it made progress.
std::int64_t attempts_without_progress(const JobEntry& entry, const ControllerConfig& config) {
  std::int64_t count = 0;
  AttemptNumber resumed_from;
  for (auto a = entry.attempts.rbegin(); a != entry.attempts.rend(); ++a) {
    if (made_progress(entry, *a) || resumed_from == a->key.attempt) break;
    if (counts(entry, *a, config)) ++count;
    if (a->resume && a->resume->job == JobId{}) resumed_from = a->resume->attempt;
  }
  return count;
}

Milliseconds requeue_delay(std::int64_t attempts, const ControllerConfig& config) {
  Milliseconds wait{0};  // 0 after the first attempt: another node may work
  for (std::int64_t i = 1; i < attempts % attempts_without_progress_max; ++i) {
    wait = wait == Milliseconds{0} ? Milliseconds{requeue_delay_first_ms} : wait * 2;
    wait = std::min(wait, config.launch_retry_max);
  }
  return wait;
}

Boot retry_after_of(const JobEntry& entry, const ControllerConfig& config, Now now) {
  if (entry.job.state != JobState::Pending || entry.attempts.empty()) return Boot{};
  const Attempt& newest = entry.attempts.back();
  // Eligible was set after the attempt's end: a user has requeued the job.
  if (entry.job.eligible > newest.ended) return Boot{};
  Milliseconds left{0};
  if (counts(entry, newest, config)) {
    const std::int64_t attempts = attempts_without_progress(entry, config);
    left = left_of(requeue_delay(attempts, config), newest.ended, now.wall);
  } else if (ended_by_itself(newest)) {
    left = left_of(attempt_spacing, newest.began, now.wall);
  }
  return left > Milliseconds{0} ? now.boot + left : Boot{};
}

bool is_held_by_requeues(const JobEntry& entry, const ControllerConfig& config) {
  return counts(entry, entry.attempts.back(), config) &&
         attempts_without_progress(entry, config) % attempts_without_progress_max == 0;
}

}  // namespace cox
