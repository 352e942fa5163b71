// The programs that the controller runs around each allocation: prolog_program and epilog_program,
// Slurm's PrologSlurmctld and EpilogSlurmctld. The turn asks for a run (Reaction::site_runs),
// controller/io/site_runner carries it out, and its end comes back as the event SiteRunEnded.
//
//   begin_launch ──there is a prolog──▶ AwaitsProlog ──it did its work──▶ Sent: Prepare goes out
//                                       └─it failed─▶ the launch is undone
//
// No node is sent the attempt before its prolog has ended, so a stop ends it at once. That is
// known in memory only: after a restart the prolog runs again, unless a node reports the attempt.
#pragma once

#include "controller/outcome.h"
#include "controller/reaction.h"

namespace cox {

// REQUIRES: the attempt was added in this turn.
void begin_launch(Reaction& r, JobId id);
// Returns whether the launch of the live attempt waits for the prolog.
bool awaits_prolog(const Cluster& cluster, const JobEntry& entry);
// Returns whether the attempt was certainly sent to no node.
bool is_unsent(const Cluster& cluster, const Attempt& attempt);
// Again, if it was asked for long ago or before a restart. REQUIRES: awaits_prolog().
void ask_for_prolog(Reaction& r, JobId id);
void ask_for_epilog(Reaction& r, const Attempt& attempt, const Outcome& outcome);
void on_site_run_ended(Reaction& r, const SiteRunEnded& ended);

}  // namespace cox
