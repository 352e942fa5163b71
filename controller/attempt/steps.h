// The steps of srun: srun requests a step, place_step() chooses its nodes in the job's allocation,
// the controller sends them LaunchStep, and the reports of the nodes decide how the step ends.
// Orders that a node has not confirmed are repeated.
#pragma once

#include <string>

#include "controller/ledger/reaction.h"

namespace cox {

// Handles srun's request for a step, or its repeat with the same request id.
void on_create_step(Reaction& r, const PeerMessage& incoming, std::int64_t number,
                    const CreateStep& ask);
// Ends a step, or sends a signal to the running processes of jobs.
Acted signal_jobs(Reaction& r, const Caller& caller, const SignalJobs& ask);
StepList list_steps(const Cluster& cluster, const ListSteps& ask, Now now);
StepShown step_shown(const Cluster& cluster, const JobEntry& entry, const Step& step, Now now);

// Merges what a node's status reports of the job's steps. REQUIRES: `status` is of the job's live
// attempt.
void take_steps(Reaction& r, JobId id, const std::string& node, const AttemptStatus& status);
// Commits what tasks of srun have saved in the attempt of a pending job, together with what this
// late status reports. The step itself stays as it ended.
void commit_late_saves_of_steps(Reaction& r, const std::string& node, const AttemptStatus& status);
// Sends the order to stop the step to all nodes of the step, or only to `node` if it is given.
void send_stop(Reaction& r, const Step& step, const std::string& node = "");
// Repeats the orders about running steps that the node has not confirmed.
void remind_of_steps(Reaction& r, JobId id, const std::string& node);
// Starts those pending steps of the job that fit beside its running steps now.
void start_steps(Reaction& r, JobId id);
// Ends all live steps of the job. REQUIRES: nothing of their attempt is left on any node.
void end_steps(Reaction& r, JobId id);

}  // namespace cox
