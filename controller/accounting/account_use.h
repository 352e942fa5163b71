// What the jobs of each association have, with those of all below it, and what they have used of
// its limits in minutes, as the limits count it. It follows from the state and the time, and is
// none of it. Pure.
#pragma once

#include <map>

#include "controller/state/cluster.h"

namespace cox {

struct AccountUse {
  TresList held;            // CPUs and GPUs, and whatever it has a limit or a quota of
  TresList minutes;         // of its GrpTRESMins: used lately, or promised to what runs
  std::int64_t wall_s = 0;  // likewise of its GrpWall
};

std::map<AssociationId, AccountUse> account_uses(const Cluster& cluster, Now now);

}  // namespace cox
