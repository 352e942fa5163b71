// The steps of a job: srun asks for one, it is placed in the job's allocation, its nodes are told,
// and what they say of it makes its end. Level, not edge: what a node lacks is said again.
#pragma once

#include <string>

#include "controller/ledger/reaction.h"

namespace cox {

void on_create_step(Reaction& r, const PeerMessage& said, std::int64_t number,
                    const CreateStep& ask);
// Ends a step, or sends a signal to what runs of a job.
Acted signal_jobs(Reaction& r, const Caller& caller, const SignalJobs& ask);
StepList list_steps(const Cluster& cluster, const ListSteps& ask, Now now);
StepShown step_shown(const Cluster& cluster, const JobEntry& entry, const Step& step, Now now);

// What a node's status tells of steps. REQUIRES: of the job's live attempt.
void take_steps(Reaction& r, JobId id, const std::string& node, const AttemptStatus& status);
// To all its nodes, or to one of them.
void tell_to_stop(Reaction& r, const Step& step, const std::string& node = "");
// Says again what the node lacks of what it should know.
void remind_of_steps(Reaction& r, JobId id, const std::string& node);
// Those that wait and have room now.
void start_steps(Reaction& r, JobId id);
// All that have not ended, with their attempt: nothing of it is left anywhere.
void end_steps(Reaction& r, JobId id);

}  // namespace cox
