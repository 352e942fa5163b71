#include "schedule/order.h"

#include <algorithm>
#include <tuple>

namespace cox::schedule {

std::vector<const PendingJob*> order(const std::vector<PendingJob>& pending) {
  std::vector<const PendingJob*> ordered;
  ordered.reserve(pending.size());
  for (const PendingJob& job : pending)
    if (!job.held) ordered.push_back(&job);
  std::ranges::sort(ordered, [](const PendingJob* a, const PendingJob* b) {
    return std::tuple(-a->tier, a->eligible, a->id) < std::tuple(-b->tier, b->eligible, b->id);
  });
  return ordered;
}

}  // namespace cox::schedule
