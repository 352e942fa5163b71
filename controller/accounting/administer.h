// Handles requests about accounts and QOS, from sacctmgr and from administrators who use SQL
// (cox.sacctmgr). Called by react() (controller/operate/react.h), and for SQL by
// controller/turn/controller.cpp. Pure but for the Reaction.
#pragma once

#include "controller/ledger/reaction.h"

namespace cox {

void on_administer(Reaction& r, const PeerMessage& incoming, std::int64_t number,
                   const Administer& ask);
// Handles a request that an administrator made by SQL. The answer is written to its row.
void on_sql_request(Reaction& r, const SqlRequest& asked);
AssociationList list_associations(const Cluster& cluster, const ListAssociations& ask, Now now);

}  // namespace cox
