// Usage that decays: a second of work counts half as much after a half-life. In closed form, so
// that it makes no difference how often anybody looks: what a steady rate came to over a time is an
// integral, and what was summed up at one moment is worth a power of two less at a later one. Pure.
//
// Slurm decays in steps of PriorityCalcPeriod; the closed form is what those come to when they are
// short (priority_multifactor.c). Kueue's entry penalty (KEP 4136) is here the least time that one
// who has just begun counts: a burst of small jobs is reckoned with at once.
#pragma once

#include <algorithm>
#include <cmath>
#include <numbers>

#include "common/base/time.h"

namespace cox::schedule {

// What one second is worth so long after. A half-life of 0: nothing is forgotten.
inline double decay(Milliseconds after, Milliseconds half_life) {
  if (half_life <= Milliseconds{0} || after <= Milliseconds{0}) return 1.0;
  return std::exp2(-static_cast<double>(after.count()) / static_cast<double>(half_life.count()));
}

// What one unit came to, in seconds, that was in use for so long until now.
inline double decayed_seconds(Milliseconds in_use, Milliseconds half_life) {
  const double seconds = static_cast<double>(std::max(in_use, Milliseconds{0}).count()) / 1000.0;
  if (half_life <= Milliseconds{0}) return seconds;
  const double life = static_cast<double>(half_life.count()) / 1000.0 / std::numbers::ln2;
  return life * -std::expm1(-seconds / life);
}

// Of one that still runs, for who compares it with others.
inline double counted_seconds(Milliseconds in_use, Milliseconds least, Milliseconds half_life) {
  return decayed_seconds(std::max(in_use, least), half_life);
}

}  // namespace cox::schedule
