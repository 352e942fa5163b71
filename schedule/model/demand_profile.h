// Counts what recent jobs with GPUs asked of a node. The placement `fgd` derives from it how much
// the free GPUs of a node are worth (usefulness.h). It is history, not state: without it, `fgd`
// places like best fit.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "common/base/fields.h"
#include "schedule/model/request.h"

namespace cox::schedule {

// What a job with GPUs asks of one node. Memory (RAM) is left out: counting it made no difference
// on Alibaba's trace and doubled the number of different requests.
struct UsualRequest {
  std::int64_t cpus = 0;
  std::int64_t gpus = 0;
  std::int32_t gpu_milli = gpu_whole;
  std::vector<std::string> gpu_types;  // empty: any type
  COX_FIELDS(cpus, gpus, gpu_milli, gpu_types);
  auto operator<=>(const UsualRequest&) const = default;
};

class DemandProfile {
 public:
  DemandProfile() = default;
  // begins with the counts() of another profile
  explicit DemandProfile(std::map<UsualRequest, double> counts);

  void learn(const Request& request);

  // Increases when the counts have changed so much that the placement should take them over: after
  // few jobs at first, later every 1,024 jobs.
  std::int64_t version() const { return version_; }
  const std::map<UsualRequest, double>& counts() const { return counts_; }

 private:
  std::map<UsualRequest, double> counts_;
  double total_ = 0;
  std::int64_t since_version_ = 0;  // jobs since `version_` increased
  std::int64_t next_version_after_ = 1;
  std::int64_t version_ = 0;
};

}  // namespace cox::schedule
