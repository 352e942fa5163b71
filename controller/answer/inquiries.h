// What sprio, sdiag and scontrol ask, as what memory holds answers it.
#pragma once

#include "controller/ledger/reaction.h"

namespace cox {

PriorityList list_priorities(const Cluster& cluster, const ListPriorities& ask, Wall now);
// What `domains` come from.
std::vector<SwitchView> switches_of(const DomainPaths& domains);
Configuration configuration_of(const Cluster& cluster, Wall now);
Statistics statistics_of(const Cluster& cluster, Wall now);
// Answered when the store has read it.
void on_read_script(Reaction& r, const PeerMessage& said, std::int64_t number,
                    const ReadScript& ask);

}  // namespace cox
