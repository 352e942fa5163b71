// Decides when a failed action is retried: after `first`, and after twice as long each time, up to
// `most`. Each delay is drawn at random from the upper half of that time, so that programs that
// failed together do not retry together. Used by clients, workers and the controller's connections
// to PostgreSQL.
//
// Pure: the caller passes the random seed, which is random_seed() of common/io/clock.h, or
// seed_from() of a value that is random already, such as the id of a session.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "common/base/time.h"

namespace cox {

class Backoff {
 public:
  Backoff(Milliseconds first, Milliseconds most, std::uint64_t seed)
      : first_(first), most_(most), next_(first), chance_(seed) {}

  void succeeded() {
    next_ = first_;
    retry_at_ = {};
  }
  // Records a failure and returns how long to wait before the next try.
  Milliseconds failed() {
    const Milliseconds whole = next_;
    next_ = std::min(next_ * 2, most_);
    const auto half = static_cast<std::uint64_t>(whole.count() / 2);
    return whole - Milliseconds{static_cast<std::int64_t>(draw() % (half + 1))};
  }
  void failed(Boot now) { retry_at_ = now + failed(); }
  bool is_due(Boot now) const { return now >= retry_at_; }
  Boot retry_at() const { return retry_at_; }

 private:
  // SplitMix64.
  std::uint64_t draw() {
    std::uint64_t z = (chance_ += 0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }

  Milliseconds first_;
  Milliseconds most_;
  Milliseconds next_;
  Boot retry_at_{};
  std::uint64_t chance_;
};

// FNV-1a.
inline std::uint64_t seed_from(std::string_view random) {
  std::uint64_t seed = 0xcbf29ce484222325;
  for (const char c : random) seed = (seed ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return seed;
}

}  // namespace cox
