// What quotas of accounts change in a pass: whose guarantee is not met goes first, and what is held
// by jobs that are stopping counts for nobody.
#include <set>

#include "schedule/pass.h"

namespace cox::schedule {

void Pass::note_leaving(JobId stopping) {
  const auto& holdings = limit_use().holdings();
  const auto held = holdings.find(stopping);
  if (held == holdings.end()) return;
  for (const auto& [limit, count] : held->second) {
    const auto at = static_cast<std::size_t>(limit);
    if (at >= leaving_.size()) leaving_.resize(at + 1);
    leaving_[at] += count;
  }
}

// Who stops to go on elsewhere goes on holding it.
void Pass::settle_leaving() {
  if (engine_.quotas().is_empty()) return;
  leaving_.clear();
  if (engine_.stopping_count() == 0 && victims_.empty()) return;
  for (const auto& [id, running] : running())
    if (is_stopping(running) && !engine_.kept().contains(id)) note_leaving(id);
}

// Before all others, of whatever tier; who finds no place now has its turn in line. Inside an
// account the order stays: behind one that is more than is guaranteed nobody of it goes first.
void Pass::judge_guaranteed(std::vector<Verdict>& verdicts) {
  if (!engine_.quotas().somebody_lacks(limit_use(), leaving_)) return;
  std::set<std::int32_t> passed_over;
  LineWalk walk(engine_.line());
  for (auto at = walk.front(); at.kind != nullptr; at = walk.front()) {
    if (claims_.contains(at.key->id)) {
      walk.next();
      continue;
    }
    const PendingJob job = job_at(at);
    const Need& need = need_now(*job.request, job.time_limit);
    const std::int32_t account = reclaim(job, need).account();
    const bool first = account >= 0 && !passed_over.contains(account);
    if (first && start_within_guarantee(at, verdicts) == job.copies) {
      walk.next();
    } else {
      passed_over.insert(account);
      walk.skip_kind();
    }
  }
}

// How many of those that it stands for have their place, one after the other.
std::int64_t Pass::start_within_guarantee(const LineWalk::At& at, std::vector<Verdict>& verdicts) {
  const JobId id = at.key->id;
  std::int64_t decided = 0;
  while (decided < at.key->copies) {
    Verdict verdict;
    verdict.job = job_at(at);
    if (!starts_within_guarantee(verdict)) break;
    const bool starts = verdict.outcome == Outcome::Starts;
    note_decided(verdict);
    verdicts.push_back(std::move(verdict));
    started_first_[id] = ++decided;
    if (starts && decided < at.key->copies) continue;
    claims_.insert(id);  // all of them, or one that waits for its place
    break;
  }
  return decided;
}

bool Pass::starts_within_guarantee(Verdict& verdict) {
  Needs needs = needs_of(verdict.job);
  if (!needs.front()->ever_fits) return false;
  std::erase_if(needs, [&](const Need* need) {
    return !reclaim(verdict.job, *need).is_within_guarantee() || !is_allowed(verdict.job, *need);
  });
  if (needs.empty()) return false;
  engine_.note_work(std::ssize(needs) * needs.front()->nodes);
  return judge_now(verdict, needs);
}

}  // namespace cox::schedule
