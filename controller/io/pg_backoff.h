// When to try a database that does not answer again: after 100 ms, doubling up to 5 s.
#pragma once

#include <algorithm>
#include <optional>

#include "common/time.h"

namespace cox {

class PgBackoff {
 public:
  void succeeded() { *this = {}; }
  void failed(Boot now) {
    retry_at_ = now + delay_;
    delay_ = std::min(delay_ * 2, Milliseconds{5'000});
  }
  bool is_due(Boot now) const { return now >= retry_at_; }
  Boot retry_at() const { return retry_at_; }

 private:
  Boot retry_at_{};
  Milliseconds delay_{100};
};

}  // namespace cox
