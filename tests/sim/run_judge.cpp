#include "tests/sim/run_judge.h"

#include <signal.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <string>

namespace cox::sim {
namespace {

using Seconds = std::chrono::seconds;

// Numbers that docs/checkpointing.md promises: a job is held after 16 attempts in a row without
// progress, it first waits 1 s and then longer each time, and attempts that save and end by
// themselves begin at least 5 s apart.
constexpr std::int64_t no_progress_most = 16;
constexpr Milliseconds first_wait{1'000};
constexpr Milliseconds attempt_spacing{5'000};

// Returns the shortest true time that may pass while a boot clock measures `time`. Two boot clocks
// may differ by twice the bound of their drift.
Milliseconds measured(Milliseconds time) {
  return time - time / 25 - Milliseconds{100};
}

bool can_save(const JobSpec& spec) {
  return spec.checkpoint_signal != 0 || spec.signal.number != 0 || spec.requeue_on_timeout ||
         spec.checkpoint_by == CheckpointBy::Rank0;
}

bool ended_by_itself(const Attempt& attempt) {
  const StopWhy why = attempt.stop.why;
  return why == StopWhy::None || why == StopWhy::JobEnded || why == StopWhy::Requeue ||
         why == StopWhy::TimeLimit;
}

// Returns how long a job waits after this number of attempts in a row without progress: 0, 1, 2, 4,
// ... s, but not longer than `most`.
Milliseconds wait_after(std::int64_t attempts, Milliseconds most) {
  Milliseconds wait{0};
  for (std::int64_t i = 1; i < attempts; ++i)
    wait = std::min(wait == Milliseconds{0} ? first_wait : wait * 2, most);
  return wait;
}

}  // namespace

void RunJudge::see(const Change& change) {
  std::visit([this](const auto& c) { see_one(c); }, change);
}

// Goes back to `then`, the state when the restored copy of the database was made. Which ranks
// started, and which of them got their --signal, is not undone.
void RunJudge::restore_from(const RunJudge& then) {
  saved_ = then.saved_;
  no_progress_ = then.no_progress_;
  requeued_by_user_ = then.requeued_by_user_;
}

// ---- the time limit, and the signal before it --------------------------------------------------

// Checks an attempt that is asked to stop for its time limit: it has run that long. With --signal
// it is asked earlier, by the seconds of that option, and has the rest of its time after that. Time
// counts from the first rank's start, because the controller may learn late that an attempt on one
// node runs.
void RunJudge::judge_time_limit(const Attempt& attempt) {
  const JobSpec& spec = *books_.jobs.at(attempt.key.job).spec;
  const Seconds limit{attempt.time_limit_s != 0 ? attempt.time_limit_s : spec.time_limit_s};
  const Seconds warning{spec.signal.number != 0 ? spec.signal.seconds_before : 0};
  const auto first = started_.find(attempt.key);
  const Wall began = first == started_.end() ? attempt.went : std::min(attempt.went, first->second);
  const Milliseconds ran = attempt.stop_asked - began;
  const std::string who = "attempt " + text_of(attempt.key);
  const std::string after = " after " + std::to_string(ran.count()) + " ms, before its time limit";
  if (ran < measured(limit - warning)) return violated(who + " is asked to stop" + after);
  const Milliseconds given = ran + Milliseconds{attempt.stop.grace_ms};
  if (given < measured(limit))
    violated(who + " gets too little time after the request to stop, which came" + after);
}

void RunJudge::signalled(const LaunchSpec& launch, std::int32_t rank, std::int32_t signal) {
  if (signal != launch.spec.signal.number || signal == SIGTERM || signal == SIGCONT) return;
  if (warned_.insert({launch.key, rank}).second) return;
  violated("rank " + std::to_string(rank) + " of " + text_of(launch.key) +
           " gets its --signal a second time");
}

// ---- requeues ----------------------------------------------------------------------------------

bool RunJudge::is_without_progress(const Attempt& attempt) const {
  if (saved_.contains(attempt.key)) return false;
  switch (attempt.stop.why) {
    case StopWhy::Preempt:
    case StopWhy::Drain:
    case StopWhy::Migrate: return false;
    case StopWhy::Requeue: return run_time(attempt, attempt.ended) < books_.config.launch_retry_max;
    default: return true;
  }
}

// Checks a requeue after an attempt that nobody asked to end: the job must be able to save, and the
// attempt must have a checkpoint.
void RunJudge::check_requeue(AttemptKey key) {
  const auto it = books_.attempts.find(key);
  if (it == books_.attempts.end() || it->second.went == Wall{}) return;
  const StopWhy why = it->second.stop.why;
  if (why != StopWhy::None && why != StopWhy::JobEnded && why != StopWhy::RankFailed) return;
  const std::string who = "attempt " + text_of(key) + " ended by itself ";
  if (!can_save(*books_.jobs.at(key.job).spec))
    return violated(who + "and its job is requeued, which cannot save");
  if (!saved_.contains(key)) violated(who + "without a checkpoint, and its job is requeued");
}

void RunJudge::see_one(const JobChanged& change) {
  const Job& job = change.job;
  const AttemptKey key{job.id, job.attempt};
  if (change.state_left == JobState::Completing && job.state == JobState::Pending) {
    check_requeue(key);
    if (!job.spec->requeue && started_.contains(key))
      violated("attempt " + text_of(key) +
               " has run, and its job is requeued in spite of --no-requeue");
  }
  const auto before = books_.jobs.find(job.id);
  if (before == books_.jobs.end()) return;
  // If a user releases the job, or requeues it after its end, the count of attempts without
  // progress starts again.
  const bool is_requeued_by_user = is_final(before->second.state) && job.state == JobState::Pending;
  if (is_requeued_by_user) requeued_by_user_.insert(job.id);
  if (is_requeued_by_user || (before->second.held && !job.held)) no_progress_.erase(job.id);
}

void RunJudge::see_one(const AttemptAdded& change) {
  const Attempt& attempt = change.attempt;
  const std::int64_t count = no_progress_[attempt.key.job];
  const std::string who = "attempt " + text_of(attempt.key) + " begins ";
  if (count >= no_progress_most)
    violated(who + "though " + std::to_string(count) + " in a row ended without a checkpoint");
  const bool is_requeued_by_user = requeued_by_user_.erase(attempt.key.job) > 0;
  const auto next = books_.attempts.lower_bound(attempt.key);
  if (clocks_jump_ || next == books_.attempts.begin()) return;
  const Attempt& before = std::prev(next)->second;
  if (before.key.job != attempt.key.job || is_requeued_by_user) return;
  const Milliseconds apart = attempt.began - before.began;
  if (ended_by_itself(before) && apart < measured(attempt_spacing) && saved_.contains(before.key))
    violated(who + std::to_string(apart.count()) + " ms after the former attempt began, too soon");
  if (!is_without_progress(before)) return;
  const Milliseconds waited = attempt.began - before.ended;
  if (waited < measured(wait_after(count, books_.config.launch_retry_max)))
    violated(who + std::to_string(waited.count()) + " ms after the former attempt, too soon: " +
             std::to_string(count) + " in a row ended without a checkpoint");
}

void RunJudge::see_one(const CheckpointAdded& change) {
  const AttemptKey key = change.checkpoint.key;
  saved_.insert(key);
  // A save that a node reports after the attempt's end shows that the attempt made progress.
  const auto saver = books_.attempts.find(key);
  if (saver != books_.attempts.end() && saver->second.ended != Wall{}) no_progress_.erase(key.job);
}

void RunJudge::see_one(const AttemptChanged& change) {
  const Attempt& attempt = change.attempt;
  const auto before = books_.attempts.find(attempt.key);
  if (before == books_.attempts.end()) return;
  const bool reaches_limit =
      attempt.stop.why == StopWhy::TimeLimit && before->second.stop.why != StopWhy::TimeLimit;
  if (reaches_limit && !clocks_jump_) judge_time_limit(attempt);
  if (attempt.ended == Wall{} || before->second.ended != Wall{}) return;
  if (saved_.contains(attempt.key)) no_progress_.erase(attempt.key.job);
  if (is_without_progress(attempt)) no_progress_[attempt.key.job] += 1;
}

}  // namespace cox::sim
