// Two clocks, both passed in as parameters and never read outside io/.
//
// Boot is CLOCK_BOOTTIME of one machine: leases, limits and timeouts run on it. Wall is the time of
// day: it is stored and shown to people, and nothing is decided by it. Both count milliseconds.
#pragma once

#include <chrono>
#include <cstdint>

namespace cox {

using Milliseconds = std::chrono::milliseconds;

template <class Tag>
struct ClockTag {
  using duration = Milliseconds;
  using rep = duration::rep;
  using period = duration::period;
  using time_point = std::chrono::time_point<ClockTag>;
  static constexpr bool is_steady = false;
};

using Boot = ClockTag<struct BootTag>::time_point;
using Wall = ClockTag<struct WallTag>::time_point;  // since the Unix epoch; Wall{} means "not yet"

struct Now {
  Boot boot;
  Wall wall;
};

constexpr std::int64_t to_ms(Boot t) {
  return t.time_since_epoch().count();
}
constexpr std::int64_t to_ms(Wall t) {
  return t.time_since_epoch().count();
}
constexpr Wall wall_from_ms(std::int64_t ms) {
  return Wall{Milliseconds{ms}};
}
constexpr Boot boot_from_ms(std::int64_t ms) {
  return Boot{Milliseconds{ms}};
}

}  // namespace cox
