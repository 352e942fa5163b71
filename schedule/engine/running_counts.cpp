#include "schedule/engine/running_counts.h"

namespace cox::schedule {

void RunningCounts::count(const Running& running, int change) {
  const auto by = static_cast<std::size_t>(change);
  if (running.job.stopping || running.frees_cpus_soon()) stopping_ += by;
  if (running.job.suspended) suspended_ += by;
  if (running.job.movable) movable_ += by;
  if (running.job.request->nodes_most > 0) elastic_ += by;
  if (running.job.preemptable) preemptable_by_tier_[running.job.tier] += change;
}

bool RunningCounts::any_preemptable(std::int64_t tier_max) const {
  for (const auto& [tier, count] : preemptable_by_tier_)
    if (tier <= tier_max && count > 0) return true;
  return false;
}

}  // namespace cox::schedule
