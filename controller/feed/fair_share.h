// Computes fair shares: the Fair Tree (schedule/queue/fair_tree.h) over the accounts, with the
// usage of ended and running jobs. Nothing of it is stored: it follows from the state and the time.
// Pure.
#pragma once

#include <map>

#include "controller/state/cluster.h"

namespace cox {

// The fair share of one association; `usage` includes all associations below it.
struct FairShare {
  double usage = 0;        // decayed, in billing seconds
  double usage_part = 0;   // the association's part of the usage of all, 0 to 1
  double shares_part = 0;  // the part of the cluster that it is entitled to, 0 to 1 (NormShares)
  // A user's factor of the priority: 1 for the most underserved user, down towards 0.
  double factor = 0;
};

std::map<AssociationId, FairShare> fair_shares(const Cluster& cluster, Now now);

}  // namespace cox
