// Tasks of an array become a row of their own: when they start, or when a person or another job
// means them and not the rest. Nothing else makes rows of an array. Pure but for the Reaction.
#pragma once

#include "common/syntax/array_tasks.h"
#include "controller/ledger/reaction.h"

namespace cox {

// The row that stands for these tasks and for no others: the row itself where it stands for no
// others. REQUIRES: the job waits, and stands for all of them at least; there are some.
JobId split_tasks(Reaction& r, JobId row, const ArrayTasks& tasks);

// For what a pass has decided of one of those that the job stands for: the first of its tasks, as
// a row of its own; the job itself where it stands for no others.
JobId split_first(Reaction& r, JobId job);

}  // namespace cox
