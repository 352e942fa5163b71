// Random numbers, decided by the seed alone. Each part of a story has its own stream, so switching
// a fault off or leaving a job out changes nothing else in the story.
#pragma once

#include <algorithm>
#include <cstdint>

#include "common/base/time.h"

namespace cox::sim {

// Uses splitmix64, because the distributions of the standard library differ between
// implementations.
class Random {
 public:
  explicit Random(std::uint64_t seed, std::uint64_t stream = 0)
      : state_(seed * 0x9e3779b97f4a7c15ULL ^ (stream + 1) * 0xd1b54a32d192ed03ULL) {
    next();
    next();
  }

  std::int64_t below(std::int64_t n) {
    return static_cast<std::int64_t>(next() % static_cast<std::uint64_t>(n));
  }
  std::int64_t between(std::int64_t low, std::int64_t high) { return low + below(high - low + 1); }
  bool one_in(std::int64_t n) { return n > 0 && below(n) == 0; }
  Milliseconds time(std::int64_t low_ms, std::int64_t high_ms) {
    return Milliseconds{between(low_ms, high_ms)};
  }

 private:
  std::uint64_t next() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15ULL;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
  }

  std::uint64_t state_;
};

}  // namespace cox::sim
