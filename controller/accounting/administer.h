// Accounts and QOS: what sacctmgr asks for, and what an administrator asks for by SQL. Pure but for
// the Reaction.
#pragma once

#include "controller/ledger/reaction.h"

namespace cox {

void on_administer(Reaction& r, const PeerMessage& said, std::int64_t number,
                   const Administer& ask);
// What an administrator asked by SQL: answered in the row.
void on_asked_by_sql(Reaction& r, const SqlRequest& asked);
AssociationList list_associations(const Cluster& cluster, const ListAssociations& ask, Now now);

}  // namespace cox
