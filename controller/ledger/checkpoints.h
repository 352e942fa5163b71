// Which checkpoints are kept, and how the files of the others are removed.
//
// A checkpoint is pruned first: it is marked in its row, and no job resumes from it any more. Then
// the controller asks a worker to remove the files, until a worker confirms that they are gone.
// Pure.
#pragma once

#include <optional>
#include <string>

#include "common/messages/client_messages.h"
#include "controller/change/event.h"
#include "controller/ledger/reaction.h"

namespace cox {

// Adds a checkpoint that every rank of its attempt has saved. Does nothing if its step is not newer
// than the job's newest sound checkpoint. `by`: which ranks saved it, for the job's history.
void commit_checkpoint(Reaction& r, const Checkpoint& c, const std::string& by);
// Prunes all checkpoints of a live job but the newest ones, whose number is checkpoints_kept.
void prune_old_checkpoints(Reaction& r, JobId id);
// Prunes the checkpoints of a job that has ended, except the newest one if the configuration keeps
// it for a while. If the job began from a checkpoint of another job, and that job has ended, does
// the same for that job.
void settle_checkpoints_of_ended(Reaction& r, JobId id);
// Asks a worker to remove the checkpoint folder of an attempt that is over, if the folder is empty.
// The supervisor of an attempt on one node removes it itself.
void remove_empty_folder(Reaction& r, const Attempt& attempt);

// Holds a job that begins from a checkpoint of another job, if that checkpoint is gone or does not
// verify. Only the owner of the job can choose another one.
void hold_for_damaged_source(Reaction& r, const Attempt& attempt, const std::string& node);
// Holds a job whose own checkpoint is damaged, if it has no other one and the checkpoint of another
// job from which it began has been removed.
void hold_if_source_is_gone(Reaction& r, JobId id, const std::string& node);
// Returns whether hold_for_damaged_source() or hold_if_source_is_gone() has held the job.
bool is_held_for_source(const Job& job);
// Refuses the release of a job that was held for its source: it would be held again at once.
Failure check_release(const Job& job);

void on_checkpoint_removed(Reaction& r, const CheckpointRemoved& report);
// Prunes checkpoints of ended jobs that have been kept long enough, and asks workers again to
// remove files of pruned checkpoints that still exist. Runs on each tick.
void watch_checkpoints(Reaction& r);

// Returns "its checkpoint of step 40 is damaged" if the job's newest checkpoint is damaged;
// otherwise "".
std::string damaged_text(const JobEntry& entry);
// Returns where the next attempt begins: "it is to resume from step 40, if that verifies", "it
// begins anew". If the newest checkpoint is damaged, the text begins with that.
std::string next_begin_text(const JobEntry& entry);
// Returns "step 40", or "step 40 of job 17" if another job has saved it.
std::string source_text(const ResumeFrom& from);

// Returns the folder below which the job's checkpoints lie.
std::string checkpoint_dir_of(const Cluster& cluster, JobId id, const std::string& identity);

// Returns the job's sound checkpoint of this step, or its newest sound one if `step` is -1.
// nullopt: it has none.
std::optional<KeptCheckpoint> find_checkpoint(const Cluster& cluster, JobId id, std::int64_t step);
// Fills in the step and the attempt that --resume-from of a submission leaves open. REQUIRES: the
// spec's uid is that of the caller.
Failure resolve_resume(const Cluster& cluster, JobSpec& spec);

CheckpointList list_checkpoints(const Cluster& cluster, const ListCheckpoints& ask);
Acted remove_checkpoints(Reaction& r, const Caller& caller, const RemoveCheckpoints& ask);

}  // namespace cox
