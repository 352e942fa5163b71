// Event triggers (strigger): what people ask of them, and when their programs run.
//
//   set ──its event happens──▶ due at a moment (now, or after its offset) ──then──▶ the program
//   runs
//
// A trigger becomes due in the turn that makes its event true, and both are committed together; so
// a crash loses neither. When it is due, the turn removes it (or, with PERM, sets it anew) and asks
// for the run (Reaction::trigger_runs). controller/io/trigger_runner begins the run only when that
// is committed. So a program runs at most once for an event: if the controller ends between the
// commit and the start of the program, it does not run.
//
// Nodes are gathered: the events of several nodes within trigger_gather are one run.
#pragma once

#include "controller/reaction.h"

namespace cox {

// If several nodes have the event within this time, the program runs once for all of them.
inline constexpr Milliseconds trigger_gather{5'000};

void on_set_trigger(Reaction& r, const PeerSaid& said, std::int64_t number, const SetTrigger& ask);
void on_clear_triggers(Reaction& r, const PeerSaid& said, std::int64_t number,
                       const ClearTriggers& ask);
TriggerList list_triggers(const Cluster& cluster, const ListTriggers& ask);

// Whether the job, or each task of the array, has ended. Memory has forgotten what ended long ago.
bool job_is_over(const Cluster& cluster, JobId id);

// The conditions that nodes are in now are no events. REQUIRES: the cluster was just loaded, or it
// has no trigger.
void watch_nodes_for_triggers(Cluster& beliefs, Now now);

// Before the events of each turn: a controller that has just begun to lead is an event of its own.
void pull_triggers_of_leadership(Reaction& r);

// With each tick: what time brings to triggers of jobs and of idle nodes.
void watch_triggers(Reaction& r);

// At the end of each turn: the events that the turn has made true, and the runs that are due.
void pull_triggers(Reaction& r);

}  // namespace cox
