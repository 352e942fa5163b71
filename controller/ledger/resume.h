// From which checkpoint the next attempt of a job begins, and jobs that are held because none can
// be used. A job that has a committed checkpoint never begins anew unless its owner says so
// (`cox release --begin-anew`). JobEntry::checkpoint_to_resume() chooses among the job's own. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "controller/ledger/reaction.h"

namespace cox {

// Returns the job's checkpoints that are not pruned, also if memory has forgotten the job.
std::vector<KeptCheckpoint> unpruned_of(const Cluster& cluster, JobId id);
// Returns the job's sound checkpoint of this step, or its newest sound one that is not set aside if
// `step` is -1.
// nullopt: it has none.
std::optional<KeptCheckpoint> find_checkpoint(const Cluster& cluster, JobId id, std::int64_t step);
// Fills in the step and the attempt that --resume-from of a submission leaves open. REQUIRES: the
// spec's uid is that of the caller.
Failure resolve_resume(const Cluster& cluster, JobSpec& spec);
// Returns the other job's checkpoint from which a start of the job would begin now. For a job that
// begins from the newest checkpoint of the other job, that may differ from its specification.
ResumeSource source_now(const Cluster& cluster, const JobSpec& spec);
// Writes source_now() into the specification of a job that is about to start.
void renew_source(Reaction& r, JobId id);

// Records that a node has read the files of the checkpoint from which the attempt was to resume,
// and that they differ from what was sealed (`fact`). Holds the job if no other checkpoint is left,
// or if the checkpoint is that of another job: only its owner can choose another one.
void note_damaged(Reaction& r, const Attempt& attempt, const std::string& node,
                  const std::string& fact);
// Lets the job's next attempt look at damaged checkpoints again.
void look_again(Reaction& r, JobId id);
// Sets all checkpoints of a pending job aside, so that it begins anew, or from the checkpoint of
// another job from which it once began. Their files are kept.
Failure set_checkpoints_aside(Reaction& r, const Job& job);
// Lets the job's next attempt resume from its checkpoint of this step: sets aside those that would
// be taken before it. Refused if it has none. `actor`: for the job's history.
Failure resume_next_from(Reaction& r, JobId id, std::int64_t step, const std::string& actor);
// Sets a checkpoint aside from which the job has just failed for the second time in a row, or for
// the first time if it rests on an exit code alone, if there is an older one. Call it when an
// attempt has ended, before the job's state changes.
void set_failing_checkpoint_aside(Reaction& r, JobId id);
// Records that the checkpoint from which the job's live attempt resumes has verified on all nodes.
void note_verified(Reaction& r, const Attempt& attempt);
// Returns whether the job is held because the other job's checkpoint from which it begins is
// damaged.
bool is_held_for_source(const Job& job);
// Refuses the release of a job that was held for its source, if it would be held again at once: it
// has no checkpoint of its own, and the other job has no sound one from which it may begin.
Failure check_release(const Cluster& cluster, const JobEntry& entry);

// Returns "its checkpoint of step 40 is damaged" if the job has a damaged checkpoint above this
// step; otherwise "".
std::string skipped_text(const JobEntry& entry, std::int64_t step);
// The same, above the step from which the next attempt resumes.
std::string damaged_text(const JobEntry& entry);
// Returns where the next attempt begins: "it is to resume from step 40, if that verifies", "it
// begins anew". If the newest checkpoint is damaged, the text begins with that.
std::string next_begin_text(const Cluster& cluster, const JobEntry& entry);
// Returns "step 40", or "step 40 of job 17" if another job has saved it.
std::string source_text(const ResumeFrom& from);

}  // namespace cox
