// Who has had least of what is theirs: the Fair Tree (schedule/queue/fair_tree.h) over the
// accounts, with what has ended and what runs. It follows from the state and the time, and is none
// of it. Pure.
#pragma once

#include <map>

#include "controller/state/cluster.h"

namespace cox {

// Of one association, with all below it.
struct FairShare {
  double usage = 0;        // in seconds of billing, as they are worth now
  double usage_part = 0;   // of all that was used
  double shares_part = 0;  // of the whole that is its own: its parts of its levels, multiplied
  double factor = 0;       // of a user: from 1, the next to be served, towards 0
};

std::map<AssociationId, FairShare> fair_shares(const Cluster& cluster, Now now);

}  // namespace cox
