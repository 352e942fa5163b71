// Which checkpoints are kept, and how the files of the others are removed.
//
// A checkpoint is pruned first: its row says so, and no job resumes from it any more. Then a worker
// is asked to remove its files, again and again until it confirms that they are gone. Pure.
#pragma once

#include <optional>
#include <string>

#include "common/messages/client_messages.h"
#include "controller/change/event.h"
#include "controller/ledger/reaction.h"

namespace cox {

// What its attempt has saved, whole; one that is no newer than what there is is passed over. `by`:
// who saved it, for people.
void commit_checkpoint(Reaction& r, const Checkpoint& c, const std::string& by);
// Prunes all but the newest checkpoints_kept of a live job.
void prune_old_checkpoints(Reaction& r, JobId id);
// A job has ended: keeps its newest checkpoint if the configuration keeps that for a while. If the
// job began from a checkpoint of another job, does the same for that one.
void settle_checkpoints_of_ended(Reaction& r, JobId id);
// An attempt is over: removes its folder if nothing is in it. A supervisor that is alone with its
// attempt does that itself.
void remove_empty_folder(Reaction& r, const Attempt& attempt);

// The checkpoint of another job, from which this one begins, is gone or does not verify: holds the
// job, since only its owner can say where it shall begin instead.
void hold_for_damaged_source(Reaction& r, const Attempt& attempt, const std::string& node);
// A checkpoint of the job itself is damaged: holds the job likewise if it has no other one, and the
// one from which it began was removed meanwhile.
void hold_if_source_is_gone(Reaction& r, JobId id, const std::string& node);
// Returns whether the job was held by one of the two functions above.
bool is_held_for_source(const Job& job);
// Refuses the release of such a job: it would be held again at once.
Failure check_release(const Job& job);

void on_checkpoint_removed(Reaction& r, const CheckpointRemoved& told);
// Prunes what has been kept long enough, and asks again for what is not removed yet.
void watch_checkpoints(Reaction& r);

// Returns "its checkpoint of step 40 is damaged" if the newest that the job has is; otherwise "".
std::string damaged_text(const JobEntry& entry);
// Returns where the next attempt begins: "it is to resume from step 40, if that verifies", "it
// begins anew". If the newest checkpoint is damaged, this is said first.
std::string next_begin_text(const JobEntry& entry);
// Returns "step 40", or "step 40 of job 17" if another job has saved it.
std::string source_text(const ResumeFrom& from);

// Returns the folder below which the job's checkpoints lie.
std::string checkpoint_dir_of(const Cluster& cluster, JobId id, const std::string& identity);

// The checkpoint that a job can begin from: this step, or the newest for -1. None: there is none.
std::optional<KeptCheckpoint> find_checkpoint(const Cluster& cluster, JobId id, std::int64_t step);
// Settles --resume-from of a submission. REQUIRES: the spec's uid is that of the caller.
Failure settle_resume(const Cluster& cluster, JobSpec& spec);

CheckpointList list_checkpoints(const Cluster& cluster, const ListCheckpoints& ask);
Acted remove_checkpoints(Reaction& r, const Caller& caller, const RemoveCheckpoints& ask);

}  // namespace cox
