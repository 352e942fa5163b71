// Two clocks, both passed in as parameters and never read outside io/.
//
// Boot is CLOCK_BOOTTIME of one machine; leases, limits and timeouts use it. Wall is the time of
// day; it is stored and shown to people. Wall decides about times that people give (--begin,
// deadlines, reservations, hours of the week). It also decides how long records are kept that
// outlast a program: failures of nodes, usage, ended jobs. A wrong Wall clock makes all this early
// or late, but never runs two attempts of a job at once. Both clocks count milliseconds.
#pragma once

#include <chrono>
#include <cstdint>

#include "common/base/fields.h"

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
// Time since the Unix epoch; Wall{} means "not yet".
using Wall = ClockTag<struct WallTag>::time_point;

struct Now {
  Boot boot;
  Wall wall;

  COX_FIELDS(boot, wall);
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
