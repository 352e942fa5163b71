// Jobs in line that stand for several alike, and what each of those counts against limits.
#include "schedule/pass/pass.h"

namespace cox::schedule {

// Where one of those that it stands for has a place now, the next may have one too.
bool Pass::starts_another(const Decision& decision) {
  const bool starts = decision.outcome == Outcome::Starts;
  const auto first = started_first_.find(decision.job.id);
  const std::int64_t before = first == started_first_.end() ? 0 : first->second;
  const bool again = starts && ++copies_started_ + before < decision.job.copies;
  if (!again) copies_started_ = 0;
  return again;
}

void Pass::note_split(JobId id) {
  decided_jobs_.insert(id);
  claims_.insert(id);
}

bool Pass::is_allowed(const PendingJob& job, const ResolvedRequest& need) const {
  const auto own = job.copies > 1 ? std::nullopt : std::optional(job.id);
  return engine_.limit_use().allows(own, *job.limits, *need.request, need.nodes, need.tasks,
                                    need.whole);
}

// What is guaranteed to its account is not kept from it for a tier.
bool Pass::leaves_room(const PendingJob& job, const ResolvedRequest& need,
                       std::span<const JobId> without) const {
  return engine_.limit_use().leaves_room(*job.limits, *need.request, need.nodes, need.tasks,
                                         without) ||
         reclaim(job, need).is_within_guarantee();
}

void Pass::hold_limits(const Decision& decision) {
  const PendingJob& job = decision.job;
  if (job.limits->empty()) return;
  std::int64_t tasks = 0;
  for (const NodePart& share : decision.shares) tasks += share.ranks;
  LimitUse& use = engine_.limit_use();
  const auto nodes = std::ssize(decision.shares.parts);
  if (job.copies > 1) {
    use.hold_more(job.id, *job.limits, *decision.need->request, nodes, tasks, decision.need->whole);
  } else {
    use.hold(job.id, *job.limits, *decision.need->request, nodes, tasks, decision.need->whole);
  }
  limits_held_.push_back(job.id);
}

}  // namespace cox::schedule
