// Computes what the jobs of each association hold and have used, as its limits count it. The jobs
// of all associations below it count too. The result follows from the state and the time, and is
// not stored. Used by administer.cpp. Pure.
#pragma once

#include <map>

#include "controller/state/cluster.h"

namespace cox {

struct AccountUse {
  // What live jobs hold now: CPUs, GPUs, and each resource that the association has a limit or a
  // quota of.
  TresList held;
  // For each resource in the association's GrpTRESMins: the minutes that ended jobs have used,
  // decayed, plus those of live jobs, each counted with its whole time limit.
  TresList minutes;
  // Seconds that count against GrpWall: run times of ended jobs, decayed, plus the time limits of
  // live jobs.
  std::int64_t wall_s = 0;
};

std::map<AssociationId, AccountUse> account_uses(const Cluster& cluster, Now now);

}  // namespace cox
