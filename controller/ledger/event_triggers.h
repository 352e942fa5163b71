// Event triggers (strigger): handles the requests of users and decides when programs run.
//
//   set ──its event happens──▶ due at a moment (now, or after its offset) ──then──▶ the program
//   runs
//
// A trigger becomes due in the turn that makes its event true, and both are committed together. So
// a crash loses neither. When a trigger is due, a turn removes it (or resets it, with PERM) and
// requests the run (Reaction::trigger_runs). controller/io/trigger_runner starts the program only
// after the commit. So a program runs at most once for an event: if the controller ends between the
// commit and the start of the program, the program does not run.
//
// Events of several nodes within trigger_gather cause one run.
#pragma once

#include "controller/ledger/reaction.h"

namespace cox {

// If several nodes have the event within this time, the program runs once for all of them.
inline constexpr Milliseconds trigger_gather{5'000};

void on_set_trigger(Reaction& r, const PeerMessage& incoming, std::int64_t number,
                    const SetTrigger& ask);
void on_clear_triggers(Reaction& r, const PeerMessage& incoming, std::int64_t number,
                       const ClearTriggers& ask);
TriggerList list_triggers(const Cluster& cluster, const ListTriggers& ask);

// Returns whether the job, or every task of the array, has ended. A job that is no longer in memory
// has ended.
bool job_is_over(const Cluster& cluster, JobId id);

// Records the current conditions of the nodes, so that they cause no events. REQUIRES: the cluster
// was just loaded, or it has no trigger.
void watch_nodes_for_triggers(const Cluster& cluster, TriggerWatch& watch, Now now);

// Makes those triggers due whose event is that a new controller leads. Runs before the events of
// each turn; acts once in each term.
void pull_triggers_of_leadership(Reaction& r);

// Makes those triggers due whose event depends on time: the end and the time limit of jobs, and
// idle nodes. Runs on each tick.
void watch_triggers(Reaction& r);

// Makes those triggers due whose events the turn has caused, and requests the runs of all that are
// due now. Runs at the end of each turn.
void pull_triggers(Reaction& r);

}  // namespace cox
