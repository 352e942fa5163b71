// Nodes that are silent, are lost, or are fenced. Pure but for the Reaction.
#pragma once

#include <string>
#include <vector>

#include "controller/ledger/reaction.h"

namespace cox {

// Marks silent nodes, ends what is lost with them, and asks for them to be fenced.
void watch_silent_nodes(Reaction& r);
// fence_program has ended.
void on_fence_ended(Reaction& r, const FenceEnded& ended);
// The caller confirms that nothing runs on the node: its jobs need not wait for its lease.
Acted::Outcome fence_node(Reaction& r, const Caller& caller, const Node& node);
// For the owner of a live job: which of its nodes are silent, until when that holds the job up, and
// what an operator can do. One line for each of them.
std::vector<std::string> silence_lines(const Cluster& cluster, const JobEntry& entry, Now now);

}  // namespace cox
