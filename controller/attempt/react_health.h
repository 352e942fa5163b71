// Drains nodes, avoids them, and returns them to work: after failures, failed health checks,
// failed prologs and processes that survive SIGKILL. node_health.h has the rules. Pure but for the
// Reaction.
#pragma once

#include <optional>
#include <string>

#include "controller/ledger/reaction.h"

namespace cox {

// Counts a failure that the node caused, and drains the node if it has had too many. `culprit` is
// the job that failed there, as in note_failure().
void blame_node(Reaction& r, const std::string& node, JobId culprit, const std::string& why);
// Drains the node, unless it is drained already by somebody whose drain takes precedence, or for
// the same reason.
void drain_node(Reaction& r, const std::string& node, DrainedBy by, const std::string& reason,
                const std::string& actor);
// Applies the health that the worker reports: drains the node if `unfit` has a reason, and resumes
// a node that its health check had drained if `unfit` is "". nullopt: no news.
void take_unfit(Reaction& r, const std::string& node, const std::optional<std::string>& unfit);
// Gives a node that was silent work again once it has sent beats_required() good heartbeats in a
// row.
void let_return(Reaction& r, const std::string& node);
// Drains the node if its prolog or epilog has failed there.
void take_site_error(Reaction& r, const std::string& node, const AttemptStatus& status);
// Updates which nodes are avoided for their failures. Failures lose weight with time.
void update_avoided(Reaction& r);
// If the fault is the job's own (why_launch_fails_everywhere()), holds the job, clears the failures
// that it caused from the nodes' records, and returns true.
bool hold_unlaunchable(Reaction& r, JobId id, const Attempt& attempt);
// If processes of the attempt survive SIGKILL, drains the node. Counts the node's part of the
// attempt as Gone if these processes can run no code any more, or if the job will not start again.
void take_kill_failure(Reaction& r, JobId id, const std::string& node, const AttemptStatus& status);

}  // namespace cox
