#include "schedule/pass/pass_limits.h"

#include <algorithm>
#include <optional>

namespace cox::schedule {
namespace {

std::int64_t tasks_in(const GangParts& shares) {
  std::int64_t tasks = 0;
  for (const NodePart& share : shares) tasks += share.ranks;
  return tasks;
}

}  // namespace

bool PassLimits::allows(const PendingJob& job, const ResolvedRequest& need) const {
  const auto own = job.copies > 1 ? std::nullopt : std::optional(job.id);
  return facts_.limit_use().allows(own, *job.limits, *need.request, need.nodes, need.tasks,
                                   need.whole);
}

bool PassLimits::allows_any(const PendingJob& job, const Needs& needs) const {
  return std::ranges::any_of(
      needs, [&](const ResolvedRequest* need) { return need->ever_fits && allows(job, *need); });
}

bool PassLimits::leaves_room(const PendingJob& job, const ResolvedRequest& need,
                             std::span<const JobId> without) const {
  return facts_.limit_use().leaves_room(*job.limits, *need.request, need.nodes, need.tasks,
                                        without) ||
         quotas_.reclaim(job, need).is_within_guarantee();
}

void PassLimits::hold(const Decision& decision) {
  const PendingJob& job = decision.job;
  if (job.limits->empty()) return;
  const std::int64_t tasks = tasks_in(decision.shares);
  LimitUse& use = facts_.engine().limit_use();
  const auto nodes = std::ssize(decision.shares.parts);
  if (job.copies > 1) {
    use.hold_more(job.id, *job.limits, *decision.need->request, nodes, tasks, decision.need->whole);
  } else {
    use.hold(job.id, *job.limits, *decision.need->request, nodes, tasks, decision.need->whole);
  }
  changed_.push_back(job.id);
}

void PassLimits::hold_home(const RunningJob& job, const GangParts& home, const Whole& whole) {
  facts_.engine().limit_use().hold(job.id, *job.limits, *job.request, std::ssize(home.parts),
                                   tasks_in(home), whole);
  changed_.push_back(job.id);
}

void PassLimits::release_claim(JobId id) {
  facts_.engine().limit_use().release(id);
  changed_.push_back(id);
}

void PassLimits::refuse_claim(JobId id) {
  release_claim(id);
  refused_.push_back(id);
}

void PassLimits::undo(const DecidedJobs& decided) {
  for (const JobId id : changed_) facts_.engine().update_limits(id);
  for (const JobId id : refused_)
    if (!decided.is_placed(id)) facts_.engine().drop_claim(id);
}

}  // namespace cox::schedule
