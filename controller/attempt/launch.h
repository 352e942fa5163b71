// How an attempt is sent to its nodes: when prolog_program has ended, if there is one
// (site_runs.h).
//
//   begin_launch ──there is a prolog──▶ AwaitsProlog ──it did its work──▶ Sent: Prepare goes out
//                                       └─it failed─▶ the launch is undone
//
// No node is sent the attempt before its prolog has ended, so a stop ends it at once. That is
// known in memory only: after a restart the prolog runs again, unless a node reports the attempt.
#pragma once

#include "controller/ledger/reaction.h"

namespace cox {

// REQUIRES: the attempt was added in this turn.
void begin_launch(Reaction& r, JobId id);

void on_site_run_ended(Reaction& r, const SiteRunEnded& ended);

}  // namespace cox
