// Commits what the ranks of an attempt have saved. If a node was silent until its lease had ended,
// its reports come after the attempt's end. What they say about saves counts until the job starts
// again. Pure but for the Reaction.
#pragma once

#include <string>

#include "controller/ledger/reaction.h"

namespace cox {

// Returns the rank of the attempt that the node reports; null if the node does not run this rank,
// or if the rank has exited, since then its report is final.
RankStatus* reported_rank(const AttemptNode& node, Attempt& attempt, std::int32_t rank);

// Commits a checkpoint of each training step that every rank has reported as saved. With
// --checkpoint-by=rank0, the report of rank 0 is enough.
void commit_saves(Reaction& r, const Attempt& attempt);

// Records what a node reports as saved by an attempt that has ended, commits what is complete now,
// and corrects the text about the lost save. Does nothing once the job has started again or ended.
// If several nodes report late, only the saves of ranks are put together, not those of tasks of
// srun.
void take_late_saves(Reaction& r, const std::string& node, const AttemptStatus& status);

// Returns whether the end of the attempt's part on the node, of which only the revision is known
// yet, is to be acknowledged only with the report that has the saves: the controller had given this
// part up, and what it saved still counts.
bool awaits_report(const Cluster& cluster, const std::string& node, AttemptKey key,
                   std::int64_t revision);

}  // namespace cox
