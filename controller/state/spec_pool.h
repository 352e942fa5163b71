// Equal specifications become one in memory: the thousand jobs of one submission, the same script
// every hour. Remembers the latest; whoever comes later than that has one of its own.
#pragma once

#include <unordered_map>

#include "common/job/job.h"

namespace cox {

class SpecPool {
 public:
  // The one it equals, or itself.
  Shared<JobSpec> shared(Shared<JobSpec> spec);

 private:
  Shared<JobSpec> pooled(Shared<JobSpec> spec);

  std::unordered_map<std::size_t, Shared<JobSpec>> latest_;
  Shared<JobSpec> given_, answered_;  // the last
};

}  // namespace cox
