// Counts what the controller has done since it started, for sdiag. A turn counts once it is
// committed. Nothing else depends on these numbers.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <vector>

#include "common/base/time.h"
#include "controller/change/change.h"

namespace cox {

using Microseconds = std::chrono::microseconds;

// Statistics of the durations of a repeated activity.
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
  // Numbers of jobs; each task of an array is one.
  std::int64_t submitted = 0;
  std::int64_t started = 0;
  std::int64_t completed = 0;
  std::int64_t cancelled = 0;
  std::int64_t failed = 0;
  std::int64_t turns = 0;           // turns with changes
  std::int64_t events_waiting = 0;  // events in the queue when the turn that answers sdiag began
  Durations passes;                 // durations of the turns in which scheduling passes ran

  void count(const std::vector<Change>& changes);  // of one turn
  void add(const TurnStatistics& turn);
};

}  // namespace cox
