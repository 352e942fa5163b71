// Splits tasks of an array into a row of their own: when they start, or when a user or a dependency
// names them and not the rest. Nothing else adds rows to an array. Pure but for the Reaction.
#pragma once

#include "common/syntax/array_tasks.h"
#include "controller/ledger/reaction.h"

namespace cox {

// Returns a row that stands for exactly these tasks: a new one, or `row` itself if it stands for no
// others. REQUIRES: the row is pending and stands for all of these tasks, of which there is at
// least one.
JobId split_tasks(Reaction& r, JobId row, const ArrayTasks& tasks);

// Splits off the first task of an array's row, to which a decision of the current pass (a start or
// a preemption) is then applied. Returns its new row, or `job` itself if that stands for only one
// task.
JobId split_first(Reaction& r, JobId job);

}  // namespace cox
