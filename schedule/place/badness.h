// How bad a node is for a job under the placement policy of the settings. place() and Ranking take
// the nodes with the least badness. Badness only chooses among nodes that fit.
//
// The weights of the administrator come first: nodes of smaller weight fill first. Under every
// policy, scarce resources are kept for the jobs that need them: a job without GPUs goes to nodes
// without GPUs, and nodes with features that the job did not ask for are avoided.
#pragma once

#include "schedule/model/resolved_request.h"
#include "schedule/model/room.h"

namespace cox::schedule {

// Compared member by member, in this order. The nodes with the least badness are taken.
struct Badness {
  bool not_required = true;
  int preferred_missed = 0;
  std::int64_t weight = 0;        // weight of the node, set by the administrator
  bool wastes_gpus = false;       // a job without GPUs on a node that has some
  std::size_t idle_features = 0;  // features it has and the job did not ask for
  int islands_split = 0;  // islands of joined GPUs that the job uses there, beyond the first
  double by_policy = 0;
  // Only for jobs of one node: GPUs (or CPUs) free behind the node's switch. So such jobs fill
  // nearly full switches first.
  double leaf_free = 0;
  double gpus_left = 0;    // fraction of the node's GPUs that stays free
  int islands_broken = 0;  // islands of joined GPUs that were whole and lose a part
  double left = 0;         // fraction of its CPUs or its memory that stays free, the larger one
  NodeAt node = 0;

  auto operator<=>(const Badness&) const = default;
};

// Returns the badness of a node that takes this many tasks, without `not_required`,
// `preferred_missed` and `leaf_free`.
Badness badness_of(const ResolvedRequest& need, const Nodes& nodes, const Room& room, NodeAt at,
                   std::int64_t tasks);

// Returns the free thousandths of GPUs behind this switch; if it has no GPUs, the free CPUs.
double leaf_free(const Room& room, const Domain& leaf);

// Returns the devices that a share takes on a node. Whole GPUs: as joined as possible (islands.h),
// lowest index first, of one type if one type has enough. A part of a GPU: from the device with
// least left, or under `fgd` from the device whose part is least useful; rather from an island that
// is in use than from a whole one.
GpuBits pick_gpus(const ResolvedRequest& need, const Nodes& nodes, const Room& room, NodeAt at);

}  // namespace cox::schedule
