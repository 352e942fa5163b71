// How bad a choice a node would be for a job, by the placement policy in the settings: place() and
// the ranking take the nodes whose badness is least. It only chooses among places that would do.
//
// An administrator's weights come first: the lighter nodes are filled before the heavier. What is
// scarce is left to those who need it, whatever the policy: a job without GPUs goes to nodes
// without, and features that nobody asked for are left alone.
#pragma once

#include "schedule/model/resolved_request.h"
#include "schedule/model/room.h"

namespace cox::schedule {

// The gravest first.
struct Badness {
  bool not_required = true;
  int preferred_missed = 0;
  std::int64_t weight = 0;        // of the node, as its administrator says
  bool wastes_gpus = false;       // a job without GPUs on a node that has some
  std::size_t idle_features = 0;  // features it has and the job did not ask for
  int islands_split = 0;          // more islands of joined GPUs than one that it needs there
  double by_policy = 0;
  double leaf_free = 0;    // behind its switch, for jobs of one node: the crumbs go first
  double gpus_left = 0;    // of the node, once the tasks stand there: fractions
  int islands_broken = 0;  // of joined GPUs, whole ones that it takes a part of
  double left = 0;         // of its CPUs or memory
  NodeAt node = 0;

  auto operator<=>(const Badness&) const = default;
};

// Of a node that takes so many of the tasks; the parts that do not depend on other rooms or names.
Badness badness_of(const ResolvedRequest& need, const Nodes& nodes, const Room& room, NodeAt at,
                   std::int64_t tasks);

// Free GPUs behind this switch, or CPUs where there are none.
double leaf_free(const Room& room, const Domain& leaf);

// The devices a share takes there: whole ones as joined as can be (islands.h), from the lowest, of
// one type where one has enough; a part of the device that is left with least, or by `fgd` of the
// one whose part is useful least, in an island that is broken into rather than in a whole one.
GpuBits pick_gpus(const ResolvedRequest& need, const Nodes& nodes, const Room& room, NodeAt at);

}  // namespace cox::schedule
