// What the controller has done since it started, for those who watch it (sdiag). Counted when it is
// true: a turn that was undone has done nothing. No state: nothing follows from it.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <vector>

#include "common/base/time.h"
#include "controller/change/change.h"

namespace cox {

using Microseconds = std::chrono::microseconds;

// How long something took that is done again and again.
struct Durations {
  std::int64_t count = 0;
  Microseconds last{0};
  Microseconds longest{0};
  Microseconds all{0};

  void add(Microseconds one) {
    ++count;
    last = one;
    longest = std::max(longest, one);
    all += one;
  }
  Microseconds mean() const { return count == 0 ? Microseconds{0} : all / count; }
};

struct TurnStatistics {
  Wall since{};
  std::int64_t submitted = 0;  // jobs; of an array each task, these five
  std::int64_t started = 0;
  std::int64_t completed = 0;
  std::int64_t cancelled = 0;
  std::int64_t failed = 0;
  std::int64_t turns = 0;           // that changed something
  std::int64_t events_waiting = 0;  // when the turn began that answers
  Durations passes;                 // of scheduling, with what else their turns did

  void count(const std::vector<Change>& changes);  // of one turn
  void add(const TurnStatistics& turn);
};

}  // namespace cox
