// What specifications ask of the scheduler. Most jobs share theirs with others, so the request made
// of it is kept and shared too.
#pragma once

#include <unordered_map>

#include "common/job.h"
#include "schedule/plan.h"

namespace cox {

class RequestsOfSpecs {
 public:
  // The one kept of this specification, else what `make` makes of it.
  Shared<schedule::Request> request(const Shared<JobSpec>& spec, const auto& make) {
    constexpr std::size_t kept_max = 8'192;
    if (const auto it = kept_.find(&*spec); it != kept_.end()) return it->second.request;
    if (kept_.size() >= kept_max) kept_.clear();
    return kept_.emplace(&*spec, Kept{spec, make(*spec)}).first->second.request;
  }
  void forget_all() { kept_.clear(); }

 private:
  struct Kept {
    Shared<JobSpec> spec;  // its address stays taken
    Shared<schedule::Request> request;
  };
  std::unordered_map<const JobSpec*, Kept> kept_;
};

}  // namespace cox
