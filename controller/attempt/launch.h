// Sends an attempt to its nodes. If prolog_program is configured, it runs first (site_runs.h).
//
//   begin_launch ──there is a prolog──▶ AwaitsProlog ──exit code 0──▶ Sent: Prepare is sent
//                                       └─it failed─▶ the launch is undone
//
// No node receives the attempt before the prolog has ended, so a stop during the prolog ends the
// attempt at once. This state is in memory only: after a restart of the controller the prolog runs
// again, unless a node reports the attempt.
#pragma once

#include "controller/ledger/reaction.h"

namespace cox {

// Requests the prolog; without one, sends the attempt to its nodes. REQUIRES: the attempt was added
// in this turn.
void begin_launch(Reaction& r, JobId id);

// Handles the end of prolog_program (continues or undoes the launch) or of epilog_program.
void on_site_run_ended(Reaction& r, const SiteRunEnded& ended);

}  // namespace cox
