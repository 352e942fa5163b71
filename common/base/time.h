// Two clocks, both passed in as parameters and never read outside io/.
//
// Boot is CLOCK_BOOTTIME of one machine: leases, limits and timeouts run on it. Wall is the time of
// day: it is stored and shown to people. By it goes what people name by it (--begin, deadlines,
// reservations, hours of the week) and what looks back further than one start of a program: how
// long failures of a node, usage and ended jobs are remembered. A wrong one makes such things early
// or late; that no two attempts of a job live at once does not depend on it. Both count
// milliseconds.
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
