// What jobs use of the cluster, as it is charged to associations and QOS. The usage of an attempt
// is added in the turn that ends it, so nothing is counted twice or lost. The usage of running
// attempts is computed on request. Pure.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "common/cluster/association.h"
#include "common/cluster/config.h"
#include "common/job/attempt.h"
#include "controller/state/cluster.h"

namespace cox {

inline constexpr std::string_view billing_tres = "billing";  // all resources, weighted
// The name under which the run time of jobs is counted, in seconds.
inline constexpr std::string_view wall_tres = "wall";

// Returns what the attempt has used by `until`, decayed to that time. `least`: a shorter attempt
// counts as if it had run so long.
std::vector<TresUsage> usage_of(const Cluster& cluster, const Attempt& attempt, Wall until,
                                Milliseconds least);

// Adds the usage `more`, summed up to the time `at`, to `usage`, summed up to the time `used_at`.
// Both are first decayed to the later time, which becomes `used_at`.
void add_usage(std::vector<TresUsage>& usage, Wall& used_at, const std::vector<TresUsage>& more,
               Wall at, Milliseconds half_life);
inline void add_usage(Association& one, const std::vector<TresUsage>& more, Wall at,
                      Milliseconds half_life) {
  add_usage(one.usage, one.usage_at, more, at, half_life);
}

// Returns how many seconds of `tres` remain of the usage when it has decayed from `used_at` to
// `then`.
double used_by(const std::vector<TresUsage>& usage, Wall used_at, std::string_view tres, Wall then,
               Milliseconds half_life);
inline double used_by(const Association& one, std::string_view tres, Wall then,
                      Milliseconds half_life) {
  return used_by(one.usage, one.usage_at, tres, then, half_life);
}

}  // namespace cox
