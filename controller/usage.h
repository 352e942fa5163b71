// What jobs use of the cluster, as whom they are charged to counts it. It is added up when an
// attempt ends, in the same turn, so nothing of it is counted twice or lost; of what runs it is
// reckoned when somebody asks. Pure.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "common/association.h"
#include "common/attempt.h"
#include "common/config.h"
#include "controller/cluster.h"

namespace cox {

inline constexpr std::string_view billing_tres = "billing";  // all of it, weighed
inline constexpr std::string_view wall_tres = "wall";        // jobs' time

// What the attempt has used until then. `least`: one that runs counts as if it had run so long.
std::vector<TresUsage> usage_of(const Cluster& cluster, const Attempt& attempt, Wall until,
                                Milliseconds least);

// Beside what there is, all as it is worth at the later of both times.
void add_usage(Association& association, const std::vector<TresUsage>& more, Wall at,
               Milliseconds half_life);

// What is left of it by then.
double used_by(const Association& association, std::string_view tres, Wall then,
               Milliseconds half_life);

}  // namespace cox
