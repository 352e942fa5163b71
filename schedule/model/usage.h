// Usage that decays: a second of work counts half as much after one half-life. Closed formulas are
// used, so the result does not depend on how often it is computed: an integral for a steady rate, a
// power of two for a past sum. Pure.
//
// Slurm decays in steps of PriorityCalcPeriod; the closed formulas are the limit for short steps
// (priority_multifactor.c). Instead of Kueue's entry penalty (KEP 4136), a job that has just begun
// counts at least a minimum time, so a burst of small jobs counts at once.
#pragma once

#include <algorithm>
#include <cmath>
#include <numbers>

#include "common/base/time.h"

namespace cox::schedule {

// Returns what one second of usage is worth after this time. With a half-life of 0 nothing decays.
inline double decay(Milliseconds after, Milliseconds half_life) {
  if (half_life <= Milliseconds{0} || after <= Milliseconds{0}) return 1.0;
  return std::exp2(-static_cast<double>(after.count()) / static_cast<double>(half_life.count()));
}

// Returns the decayed usage, in seconds, of one unit that has been in use for this long until now.
inline double decayed_seconds(Milliseconds in_use, Milliseconds half_life) {
  const double seconds = static_cast<double>(std::max(in_use, Milliseconds{0}).count()) / 1000.0;
  if (half_life <= Milliseconds{0}) return seconds;
  const double life = static_cast<double>(half_life.count()) / 1000.0 / std::numbers::ln2;
  return life * -std::expm1(-seconds / life);
}

// Returns the decayed usage of a running job, which counts as in use for at least `least`.
inline double counted_seconds(Milliseconds in_use, Milliseconds least, Milliseconds half_life) {
  return decayed_seconds(std::max(in_use, least), half_life);
}

}  // namespace cox::schedule
