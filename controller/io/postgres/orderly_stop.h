// Writes the next job id to the database when the leader is stopped in order, after its last turn
// is committed. The next leader then continues with that id, even if PostgreSQL was restarted
// meanwhile. Used by controller/io/leader_host.cpp.
#pragma once

#include "controller/change/recovery.h"
#include "controller/io/postgres/pg_servers.h"

namespace cox {

// Blocks until the id is written, or for at most about 1 s once it is connected. Returns whether
// the id was written. It is not written if the database has a newer turn or another leader than
// `known`.
bool note_orderly_stop(PgServers& servers, const LastKnownState& known);

}  // namespace cox
