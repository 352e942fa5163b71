// Handles nodes that are silent, lost or fenced, and silent clients of allocations. Pure but for
// the Reaction.
#pragma once

#include <string>
#include <vector>

#include "controller/ledger/reaction.h"

namespace cox {

// Marks silent nodes as not responding, ends the attempts that are lost with them, and requests
// runs of fence_program. Called on each tick.
void watch_silent_nodes(Reaction& r);
// Returns whether the node has sent nothing for longer than node_timeout.
bool is_silent(const Cluster& cluster, const std::string& node, Boot now);
// Returns whether a live attempt has a part on the node that is not over.
bool some_job_waits_for(const Cluster& cluster, const std::string& node);
// Handles the end of fence_program.
void on_fence_ended(Reaction& r, const FenceEnded& ended);
// Carries out `cox fence NODE --confirm`: the caller confirms that nothing runs on the node, so its
// jobs do not wait for its lease. Refused unless the node is silent.
Acted::Outcome fence_node(Reaction& r, const Caller& caller, const Node& node);
// Cancels an allocation whose client (salloc, srun) has sent no request for inactive_limit. The
// client asks about the job regularly, and so do its steps; salloc --no-shell does not. After a
// restart of the controller, and after an outage of the database, in which it is refused, the time
// begins anew.
void watch_client(Reaction& r, JobId id);
// Returns one line for each silent node of a live job: how long it has been silent, until when the
// job waits for it, and what an operator can do. And one for a silent client.
std::vector<std::string> silence_lines(const Cluster& cluster, const JobEntry& entry, Now now);

}  // namespace cox
