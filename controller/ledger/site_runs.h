// The programs that the controller runs around each allocation: prolog_program and epilog_program,
// Slurm's PrologSlurmctld and EpilogSlurmctld. The turn requests a run (Reaction::site_runs),
// controller/io/site_runner runs the program, and the event SiteRunEnded reports its end.
#pragma once

#include "controller/ledger/outcome.h"
#include "controller/ledger/reaction.h"

namespace cox {

// Returns whether the launch of the job's live attempt waits for prolog_program to end.
bool awaits_prolog(const Cluster& cluster, const JobEntry& entry);
// Returns whether it is certain that no node was sent the attempt.
bool is_unsent(const Cluster& cluster, const Attempt& attempt);
// Requests a run of prolog_program; if a request has had no answer for too long, or was made before
// a restart, requests it again. REQUIRES: awaits_prolog().
void ask_for_prolog(Reaction& r, JobId id);
void ask_for_epilog(Reaction& r, const Attempt& attempt, const Outcome& outcome);

}  // namespace cox
