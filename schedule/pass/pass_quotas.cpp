// What quotas of accounts change in a pass: whose guarantee is not met goes first, and what is held
// by jobs that are stopping counts for nobody.
#include <algorithm>
#include <set>

#include "schedule/pass/pass.h"

namespace cox::schedule {
namespace {

constexpr std::int64_t put_off_work = 64;  // in nodes looked at

}  // namespace

void Pass::note_leaving(JobId stopping, std::int64_t times) {
  above_share_as_of_.reset();
  const auto& holdings = limit_use().holdings();
  const auto held = holdings.find(stopping);
  if (held == holdings.end()) return;
  for (const auto& [limit, count] : held->second) {
    const auto at = static_cast<std::size_t>(limit);
    if (at >= leaving_.size()) leaving_.resize(at + 1);
    leaving_[at] += times * count;
  }
}

// Who stops to go on elsewhere goes on holding it; who stands still has nothing of it.
void Pass::settle_leaving() {
  leaving_.clear();
  if (engine_.quotas().is_empty()) return;
  if (engine_.stopping_count() + engine_.suspended_count() == 0 && victims_.empty()) return;
  for (const auto& [id, running] : running())
    if (running.job.suspended || (is_stopping(running) && !engine_.kept().contains(id)))
      note_leaving(id);
}

// In the first round: and it is noted, so that a part of a pass that does nothing else comes to an
// end, and the next goes on behind it.
bool Pass::is_put_off(const QueueCursor::At& at) {
  if (engine_.quotas().is_empty()) return false;
  const bool is_noted = put_off_.contains(at.queue->number);
  if (second_round_ || is_noted) return second_round_ != is_noted;
  const PendingJob job = job_at(at);
  for (const Request* one = &*job.request; one != nullptr;
       one = one->otherwise ? &**one->otherwise : nullptr)
    if (reclaim(job, need_now(*one, job.time_limit)).beyond_share() < 0) return false;
  put_off_.insert(at.queue->number);
  engine_.note_work(put_off_work);
  if (copies_started_ > 0) started_first_[job.id] += copies_started_;
  copies_started_ = 0;
  is_amid_copies_ = false;
  return true;
}

bool Pass::begin_second_round() {
  if (second_round_ || put_off_.empty()) return false;
  second_round_ = true;
  judged_to_.reset();
  return true;
}

// Before all others, of whatever tier; who finds no place now has its turn in line. Inside an
// account the order stays: behind one that is more than is guaranteed nobody of it goes first.
void Pass::judge_guaranteed(std::vector<Decision>& decisions) {
  if (!engine_.quotas().somebody_lacks(limit_use(), leaving_)) return;
  std::set<std::int32_t> passed_over;
  QueueCursor walk(engine_.line());
  for (auto at = walk.front(); at.kind != nullptr; at = walk.front()) {
    if (claims_.contains(at.key->id)) {
      walk.next();
      continue;
    }
    engine_.note_work(1);
    const PendingJob job = job_at(at);
    const std::int32_t account = account_of(job);
    const bool first = account >= 0 && !passed_over.contains(account);
    if (first && start_within_guarantee(at, decisions) == job.copies) {
      walk.next();
      continue;
    }
    if (first && may_start(job)) passed_over.insert(account);
    walk.skip_kind();
  }
}

std::int32_t Pass::account_of(const PendingJob& job) {
  for (const Request* one = &*job.request; one != nullptr;
       one = one->otherwise ? &**one->otherwise : nullptr)
    if (const auto account = reclaim(job, need_now(*one, job.time_limit)).account(); account >= 0)
      return account;
  return -1;
}

// Were there room: nothing but room keeps it back.
bool Pass::may_start(const PendingJob& job) {
  return std::ranges::any_of(needs_of(job), [&](const ResolvedRequest* need) {
    return need->ever_fits && is_allowed(job, *need);
  });
}

// How many of those that it stands for have their place, one after the other.
std::int64_t Pass::start_within_guarantee(const QueueCursor::At& at,
                                          std::vector<Decision>& decisions) {
  const JobId id = at.key->id;
  std::int64_t decided = 0;
  while (decided < at.key->copies) {
    Decision decision;
    decision.job = job_at(at);
    if (!starts_within_guarantee(decision)) break;
    const bool starts = decision.outcome == Outcome::Starts;
    note_decided(decision);
    decisions.push_back(std::move(decision));
    started_first_[id] = ++decided;
    if (starts && decided < at.key->copies) continue;
    claims_.insert(id);  // all of them, or one that waits for its place
    break;
  }
  return decided;
}

bool Pass::starts_within_guarantee(Decision& decision) {
  Needs needs = needs_of(decision.job);
  if (!needs.front()->ever_fits) return false;
  std::erase_if(needs, [&](const ResolvedRequest* need) {
    return !reclaim(decision.job, *need).is_within_guarantee() || !is_allowed(decision.job, *need);
  });
  if (needs.empty()) return false;
  engine_.note_work(std::ssize(needs) * needs.front()->nodes);
  return judge_now(decision, needs);
}

}  // namespace cox::schedule
