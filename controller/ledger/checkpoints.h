// Which checkpoints are kept, and how the files of the others are removed.
//
// A checkpoint is pruned first: it is marked in its row, and no job resumes from it any more. Then
// the controller asks a worker to remove the files, until a worker confirms that they are gone.
// Pure.
#pragma once

#include <string>

#include "common/messages/client_messages.h"
#include "controller/change/event.h"
#include "controller/ledger/reaction.h"

namespace cox {

// Adds a checkpoint that every rank of its attempt has saved. Does nothing if its step is not newer
// than the job's newest sound checkpoint, if it has no file, or if another job step of the attempt
// has reported the same step, since they overwrite each other's files. It is set aside if its
// attempt is to be followed by one that resumes from an older one. `by`: which ranks saved it, for
// the history.
void commit_checkpoint(Reaction& r, Checkpoint c, const std::string& by);
// Prunes all checkpoints of a live job but the newest ones, whose number is checkpoints_kept.
// Checkpoints that rest on exit codes alone (Checkpoint::by_exit) do not count, so they cause no
// older one to be pruned.
void prune_old_checkpoints(Reaction& r, JobId id);
// Prunes the checkpoints of a job that has ended, except those that the configuration keeps for a
// while: the newest one of a COMPLETED job, checkpoints_kept of any other. If the job began from a
// checkpoint of another job, and that job has ended, does the same for that job.
void settle_checkpoints_of_ended(Reaction& r, JobId id);
// Asks a worker to remove the checkpoint folder of an attempt that is over, if the folder is empty.
// The supervisor of an attempt on one node removes it itself.
void remove_empty_folder(Reaction& r, const Attempt& attempt);

void on_checkpoint_removed(Reaction& r, const CheckpointRemoved& report);
// Prunes checkpoints of ended jobs that have been kept long enough, and asks workers again to
// remove files of pruned checkpoints that still exist. Runs on each tick.
void watch_checkpoints(Reaction& r);

// Returns the folder below which the job's checkpoints lie.
std::string checkpoint_dir_of(const Cluster& cluster, JobId id, const std::string& identity);
// Returns the folder of one checkpoint.
std::string folder_of(const Cluster& cluster, const KeptCheckpoint& kept);
// Returns a node that shares the checkpoint folder and obeys this controller, for work on files of
// the job; empty: there is none now. While the list of such nodes stays the same, the same job gets
// the same node.
std::string node_for_files(const Cluster& cluster, JobId id);

CheckpointList list_checkpoints(const Cluster& cluster, const ListCheckpoints& ask);
Acted remove_checkpoints(Reaction& r, const Caller& caller, const RemoveCheckpoints& ask);

}  // namespace cox
