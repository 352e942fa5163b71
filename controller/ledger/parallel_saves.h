// Job steps (srun) that run at the same time and save: a job has one checkpoint, so its next
// attempt would have the work of only one of them. Pure.
#pragma once

#include "controller/ledger/reaction.h"

namespace cox {

// Holds a job that was just requeued if job steps of its last attempt that ran at the same time
// have saved, or were refused that, and a checkpoint is there to resume from. Job steps on one node
// are known from the node, which refuses the second one. Those that share no node are known by what
// they have reported to this controller: they must have run together for longer than node_timeout,
// since the end of a job step may be reported so late.
void hold_for_parallel_saves(Reaction& r, JobId id);

}  // namespace cox
