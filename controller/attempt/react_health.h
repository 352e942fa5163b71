// What keeps work away from a node: failures there, what its worker says of itself, processes that
// outlive SIGKILL. The rules are those of node_health.h. Pure but for the Reaction.
#pragma once

#include <optional>
#include <string>

#include "controller/ledger/reaction.h"

namespace cox {

// Something failed there for its reasons; `culprit` as in
// note_failure().
void blame_node(Reaction& r, const std::string& node, JobId culprit, const std::string& why);
// Unless a person has, or for the same reason as already.
void drain_node(Reaction& r, const std::string& node, DrainedBy by, const std::string& reason,
                const std::string& actor);
// What its worker says of itself.
void take_unfit(Reaction& r, const std::string& node, const std::optional<std::string>& unfit);
// After silence: by as many good heartbeats as are wanted.
void let_return(Reaction& r, const std::string& node);
// The prolog or the epilog of the node has failed there: the node is drained.
void take_site_error(Reaction& r, const std::string& node, const AttemptStatus& status);
// As their failures fade away, nodes are avoided no more.
void settle_avoided(Reaction& r);
// A job that cannot be launched anywhere is held, and the nodes are forgiven; false: it can.
bool hold_unlaunchable(Reaction& r, JobId id, const Attempt& attempt);
// Processes of the attempt outlive SIGKILL: the node is drained and its part of the attempt over in
// the books, if nothing of the user's can run any more or the job does not start again.
void take_kill_failure(Reaction& r, JobId id, const std::string& node, const AttemptStatus& status);

}  // namespace cox
