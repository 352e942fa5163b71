#include "controller/change/job_wait.h"

#include <algorithm>
#include <cstdlib>

namespace cox {

bool is_never_satisfied(const JobWait* row) {
  return row != nullptr && row->reason == name(WaitReason::DependencyNeverSatisfied);
}

EstimateView accuracy_of(const std::vector<StartEstimate>& estimates) {
  constexpr std::int64_t close_ms = 60'000;
  EstimateView view;
  view.count = std::ssize(estimates);
  if (estimates.empty()) return view;
  std::vector<std::int64_t> errors_ms;
  std::int64_t close = 0;
  for (const StartEstimate& one : estimates) {
    errors_ms.push_back(std::abs((one.actual - one.estimated).count()));
    close += errors_ms.back() <= std::max(close_ms, (one.actual - one.made).count() / 10);
  }
  std::ranges::sort(errors_ms);
  view.error_ms_median = errors_ms[errors_ms.size() / 2];
  view.error_ms_p90 = errors_ms[errors_ms.size() * 9 / 10];
  view.close_permille = close * 1'000 / view.count;
  return view;
}

}  // namespace cox
