// What a controller that led writes when it is stopped in order, once it has told its last turn:
// the next job id, so that whoever leads next issues it. After any other end ids skip some
// (job_id_gap).
#pragma once

#include "controller/io/pg_servers.h"
#include "controller/recovery.h"

namespace cox {

// Waits for about a second at most. Returns whether it was written: it is not if another turn or
// another leader came.
bool note_orderly_stop(PgServers& servers, const KnownTruth& known);

}  // namespace cox
