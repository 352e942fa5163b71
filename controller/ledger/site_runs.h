// The programs that the controller runs around each allocation: prolog_program and epilog_program,
// Slurm's PrologSlurmctld and EpilogSlurmctld. The turn asks for a run (Reaction::site_runs),
// controller/io/site_runner carries it out, and its end comes back as the event SiteRunEnded.
#pragma once

#include "controller/ledger/outcome.h"
#include "controller/ledger/reaction.h"

namespace cox {

// Returns whether the launch of the live attempt waits for the prolog.
bool awaits_prolog(const Cluster& cluster, const JobEntry& entry);
// Returns whether the attempt was certainly sent to no node.
bool is_unsent(const Cluster& cluster, const Attempt& attempt);
// Again, if it was asked for long ago or before a restart. REQUIRES: awaits_prolog().
void ask_for_prolog(Reaction& r, JobId id);
void ask_for_epilog(Reaction& r, const Attempt& attempt, const Outcome& outcome);

}  // namespace cox
