// What follows from specifications: what they ask of the scheduler, and their limits. Most jobs
// share theirs with others, so what is made of it is kept and shared too.
#pragma once

#include <unordered_map>

#include "common/job/job.h"

namespace cox {

template <class T>
class PerSpecCache {
 public:
  // What is kept of this specification, else what `make` makes of it.
  const Shared<T>& of(const Shared<JobSpec>& spec, const auto& make) {
    constexpr std::size_t kept_max = 8'192;
    if (const auto it = kept_.find(&*spec); it != kept_.end()) return it->second.made;
    if (kept_.size() >= kept_max) kept_.clear();
    return kept_.emplace(&*spec, Kept{spec, make(*spec)}).first->second.made;
  }
  void forget_all() { kept_.clear(); }

 private:
  struct Kept {
    Shared<JobSpec> spec;  // its address stays taken
    Shared<T> made;
  };
  std::unordered_map<const JobSpec*, Kept> kept_;
};

}  // namespace cox
