// What jobs usually ask of a node, learnt from those that come: the popularity that fragmentation
// is measured against (usefulness.h). History, not state: an engine that never learnt anything
// places by best fit.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "schedule/model/request.h"

namespace cox::schedule {

// One node's part of a job that asks for GPUs. Memory is left out: it made no difference on
// Alibaba's trace, and doubled the kinds.
struct UsualRequest {
  std::int64_t cpus = 0;
  std::int64_t gpus = 0;
  std::int32_t gpu_milli = gpu_whole;
  std::vector<std::string> gpu_types;  // empty: any
  auto operator<=>(const UsualRequest&) const = default;
};

class DemandProfile {
 public:
  DemandProfile() = default;
  explicit DemandProfile(std::map<UsualRequest, double> counts);  // as another had learnt them

  void learn(const Request& request);

  // Grows when what was learnt is worth looking at again: often at first, then every 1,024 jobs.
  std::int64_t version() const { return version_; }
  const std::map<UsualRequest, double>& counts() const { return counts_; }

 private:
  std::map<UsualRequest, double> counts_;
  double total_ = 0;
  std::int64_t since_version_ = 0;  // jobs
  std::int64_t next_version_after_ = 1;
  std::int64_t version_ = 0;
};

}  // namespace cox::schedule
