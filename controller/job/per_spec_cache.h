// Caches values that are derived from specifications, such as the scheduler's request and the
// limits. Most jobs share one specification object with others, and so these values, too.
#pragma once

#include <unordered_map>

#include "common/job/job.h"

namespace cox {

template <class T>
class PerSpecCache {
 public:
  // Returns the value for this specification; `make` derives it if it is not cached.
  const Shared<T>& of(const Shared<ParsedSpec>& spec, const auto& make) {
    constexpr std::size_t kept_max = 8'192;
    if (const auto it = kept_.find(&*spec); it != kept_.end()) return it->second.made;
    if (kept_.size() >= kept_max) kept_.clear();
    return kept_.emplace(&*spec, Kept{spec, make(*spec)}).first->second.made;
  }
  void forget_all() { kept_.clear(); }

 private:
  struct Kept {
    // Kept alive, so that no new specification gets its address, which is the key.
    Shared<ParsedSpec> spec;
    Shared<T> made;
  };
  std::unordered_map<const ParsedSpec*, Kept> kept_;
};

}  // namespace cox
