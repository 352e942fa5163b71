// What people do to jobs and nodes: cancel, hold, release, requeue, suspend, drain, resume. Pure
// but for the Reaction.
#pragma once

#include <string>

#include "controller/ledger/reaction.h"

namespace cox {

// Whose it is, and the cluster's owner.
Acted::Outcome end_allocation(Reaction& r, const Caller& caller, const EndAllocation& ask);
// What a person says; whom the controller holds it starts anew, on any node.
void set_hold(Job& job, bool held);
// Of one row, whatever it stands for.
Acted::Outcome act_on_row(Reaction& r, const Caller& caller, JobVerb verb, JobId id);
Acted::Outcome act_on_node(Reaction& r, const Caller& caller, const ActOnNodes& act,
                           const std::string& node);

}  // namespace cox
