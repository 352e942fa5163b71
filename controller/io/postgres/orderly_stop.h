// Writes the next job id when the leader is stopped in order, after its last turn is committed. The
// next leader then continues with that id; after any other end it skips job_id_gap ids.
#pragma once

#include "controller/change/recovery.h"
#include "controller/io/postgres/pg_servers.h"

namespace cox {

// Waits for about a second at most. Returns whether it was written: it is not if another turn or
// another leader came.
bool note_orderly_stop(PgServers& servers, const LastKnownState& known);

}  // namespace cox
