// Guarantees of accounts in a pass: queued jobs of accounts with less than their guarantee come
// before all other jobs.
#include <set>

#include "schedule/pass/pass.h"

namespace cox::schedule {

// Considers jobs of every tier. A job that finds no place now gets its turn in the queue later.
// Inside an account the order is kept: behind a job that exceeds the guarantee, no job of the
// account goes first.
void Pass::evaluate_guaranteed(std::vector<Decision>& decisions) {
  if (!quotas_.has_unmet_guarantee()) return;
  std::set<std::int32_t> passed_over;
  QueueCursor walk(facts_.engine().queue());
  for (auto at = walk.front(); at.job_class != nullptr; at = walk.front()) {
    if (decided_.is_placed(at.key->id)) {
      walk.next();
      continue;
    }
    facts_.ground().note_work(1);
    const PendingJob job = job_of(at);
    const std::int32_t account = quotas_.account_of(job);
    const bool first = account >= 0 && !passed_over.contains(account);
    if (first && start_within_guarantee(at, decisions) == job.copies) {
      walk.next();
      continue;
    }
    if (first && limits_.allows_any(job, facts_.needs_of(job))) passed_over.insert(account);
    walk.skip_class();
  }
}

// Places as many copies of the job as the guarantee has room for. Returns how many got a place.
std::int64_t Pass::start_within_guarantee(const PendingQueue::At& at,
                                          std::vector<Decision>& decisions) {
  const JobId id = at.key->id;
  std::int64_t decided = 0;
  while (decided < at.key->copies) {
    Decision decision;
    decision.job = job_of(at);
    if (!starts_within_guarantee(decision)) break;
    const bool starts = decision.outcome == Outcome::Starts;
    decided_.note(decision);
    decisions.push_back(std::move(decision));
    cursor_.note_started_first(id, ++decided);
    if (starts && decided < at.key->copies) continue;
    decided_.note_placed(id);  // all copies have a place, or this one waits for a promised place
    break;
  }
  return decided;
}

bool Pass::starts_within_guarantee(Decision& decision) {
  Needs needs = facts_.needs_of(decision.job);
  if (!needs.front()->ever_fits) return false;
  std::erase_if(needs, [&](const ResolvedRequest* need) {
    return !quotas_.reclaim(decision.job, *need).is_within_guarantee() ||
           !limits_.allows(decision.job, *need);
  });
  if (needs.empty()) return false;
  facts_.ground().note_work(std::ssize(needs) * needs.front()->nodes);
  return evaluate_now(decision, needs);
}

}  // namespace cox::schedule
