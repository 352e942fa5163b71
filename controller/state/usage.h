// What jobs use of the cluster, as whom they are charged to counts it. It is added up when an
// attempt ends, in the same turn, so nothing of it is counted twice or lost; of what runs it is
// reckoned when somebody asks. Pure.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "common/cluster/association.h"
#include "common/cluster/config.h"
#include "common/job/attempt.h"
#include "controller/state/cluster.h"

namespace cox {

inline constexpr std::string_view billing_tres = "billing";  // all of it, weighed
inline constexpr std::string_view wall_tres = "wall";        // jobs' time

// What the attempt has used until then. `least`: one that runs counts as if it had run so long.
std::vector<TresUsage> usage_of(const Cluster& cluster, const Attempt& attempt, Wall until,
                                Milliseconds least);

// Beside what there is, which was added up at `used_at`: all as it is worth at the later of both
// times.
void add_usage(std::vector<TresUsage>& usage, Wall& used_at, const std::vector<TresUsage>& more,
               Wall at, Milliseconds half_life);
inline void add_usage(Association& one, const std::vector<TresUsage>& more, Wall at,
                      Milliseconds half_life) {
  add_usage(one.usage, one.usage_at, more, at, half_life);
}

// What is left by then of what was used until `used_at`.
double used_by(const std::vector<TresUsage>& usage, Wall used_at, std::string_view tres, Wall then,
               Milliseconds half_life);
inline double used_by(const Association& one, std::string_view tres, Wall then,
                      Milliseconds half_life) {
  return used_by(one.usage, one.usage_at, tres, then, half_life);
}

}  // namespace cox
