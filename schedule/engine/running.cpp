#include "schedule/engine/running.h"

#include <iterator>

namespace cox::schedule {

Boot runs_since(const RunningJob& job) {
  return std::max(job.began, job.resumed.value_or(job.began));
}

Boot exempt_until(const Settings& settings, const RunningJob& job) {
  return runs_since(job) + job.exempt_time.value_or(settings.preempt_exempt_time);
}

std::optional<Boot> budget_spent_until(const Settings& settings, const RunningJob& job, Boot now) {
  const std::int64_t budget = settings.preempt_budget;
  if (budget <= 0 || std::ssize(job.preempted) < budget) return std::nullopt;
  const Boot back = job.preempted.end()[-budget] + settings.preempt_budget_window;
  if (back <= now) return std::nullopt;
  return back;
}

}  // namespace cox::schedule
