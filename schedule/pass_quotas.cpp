// What quotas of accounts change in a pass: whose guarantee is not met goes first, and what is held
// by jobs that are stopping counts for nobody.
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

// Before all others, of whatever tier; who finds no place now has its turn in line.
void Pass::judge_guaranteed(std::vector<Verdict>& verdicts) {
  if (!engine_.quotas().somebody_lacks(limit_use(), leaving_)) return;
  LineWalk walk(engine_.line());
  for (auto at = walk.front(); at.kind != nullptr; at = walk.front()) {
    const JobId id = at.key->id;
    if (claims_.contains(id)) {
      walk.next();
      continue;
    }
    bool starts = true;  // of those that it stands for one after the other, while they start
    for (std::int64_t copy = 0; starts && copy < at.key->copies; ++copy) {
      Verdict verdict;
      verdict.job = job_at(at);
      if (!starts_within_guarantee(verdict)) break;
      starts = verdict.outcome == Outcome::Starts;
      note_decided(verdict);
      claims_.insert(id);
      verdicts.push_back(std::move(verdict));
    }
    claims_.contains(id) ? walk.next() : walk.skip_kind();
  }
}

bool Pass::starts_within_guarantee(Verdict& verdict) {
  Needs needs = needs_of(verdict.job);
  if (!needs.front()->ever_fits) return false;
  std::erase_if(needs, [&](const Need* need) {
    const Reclaim reclaim(engine_.quotas(), limit_use(), leaving_, verdict.job, *need);
    return !reclaim.is_within_guarantee() || !is_allowed(verdict.job, *need);
  });
  if (needs.empty()) return false;
  engine_.note_work(std::ssize(needs) * needs.front()->nodes);
  return judge_now(verdict, needs);
}

}  // namespace cox::schedule
