#include "schedule/model/demand_profile.h"

#include <algorithm>

namespace cox::schedule {
namespace {

constexpr std::int64_t relearn_every_max = 1'024;
constexpr double remembered_max = 65'536;  // When so many jobs are counted, all counts are halved.

}  // namespace

DemandProfile::DemandProfile(std::map<UsualRequest, double> counts) : counts_(std::move(counts)) {
  for (const auto& [task, count] : counts_) total_ += count;
  version_ = counts_.empty() ? 0 : 1;
}

void DemandProfile::learn(const Request& request) {
  if (request.gpus_per_node <= 0) return;
  const std::int64_t nodes = std::max<std::int64_t>(request.nodes, 1);
  const std::int64_t tasks = (std::max(request.tasks, nodes) + nodes - 1) / nodes;
  UsualRequest task{tasks * request.cpus_per_task, request.gpus_per_node, request.gpu_milli,
                    request.gpu_types};
  std::ranges::sort(task.gpu_types);
  counts_[std::move(task)] += 1;
  total_ += 1;
  if (total_ >= remembered_max) {
    for (auto& [known, count] : counts_) count /= 2;
    std::erase_if(counts_, [](const auto& one) { return one.second < 0.5; });
    total_ /= 2;
  }
  if (++since_version_ < next_version_after_) return;
  next_version_after_ = std::min(version_ == 0 ? 1 : 2 * next_version_after_, relearn_every_max);
  since_version_ = 0;
  ++version_;
}

}  // namespace cox::schedule
