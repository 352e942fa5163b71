// Builds replies to sprio, sdiag and scontrol from the state in memory. Called by react()
// (controller/operate/react.h).
#pragma once

#include "controller/ledger/reaction.h"

namespace cox {

PriorityList list_priorities(const Cluster& cluster, const ListPriorities& ask, Wall now);
// Returns the switches that the paths of the nodes consist of, the lowest level first.
std::vector<SwitchView> switches_of(const DomainPaths& domains);
Configuration configuration_of(const Cluster& cluster, Wall now);
Statistics statistics_of(const Cluster& cluster, Wall now);
// Handles a request for a batch script. The reply is sent once the store has read the script.
void on_read_script(Reaction& r, const PeerMessage& incoming, std::int64_t number,
                    const ReadScript& ask);

}  // namespace cox
