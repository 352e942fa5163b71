// Carries out the requests of users that act on jobs and nodes: cancel, hold, release, requeue,
// preempt, suspend, resume, drain. Pure but for the Reaction.
#pragma once

#include <string>

#include "controller/ledger/reaction.h"

namespace cox {

// Ends an allocation, as its client requests. Only the job's owner and the cluster's owner may.
Acted::Outcome end_allocation(Reaction& r, const Caller& caller, const EndAllocation& ask);
// Sets or clears the hold of a user, in place of a hold by the controller. A release also clears
// the list of nodes that the job's next attempt would avoid, and the job has waited only since
// then.
void set_hold(Job& job, bool held, Wall now);
// Carries out the verb of `ask` on one row, which may stand for several array tasks.
Acted::Outcome act_on_row(Reaction& r, const Caller& caller, const ActOnJobs& ask, JobId id);
// Drains, resumes, sets down or fences a node.
Acted::Outcome act_on_node(Reaction& r, const Caller& caller, const ActOnNodes& act,
                           const std::string& node);

}  // namespace cox
