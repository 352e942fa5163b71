// The life of an attempt: it begins, saves, is asked to stop, loses nodes, ends. Only advance()
// carries out what follows from the state, such as the Go or the end; the other functions change
// that state. Called by the handlers of events and by controller/scheduling/enact.cpp. Pure but for
// the Reaction.
#pragma once

#include <string>

#include "controller/ledger/emptied.h"
#include "controller/ledger/reaction.h"

namespace cox {

// Carries out what the present state of the job's live attempt requires: the Go, commits of
// checkpoints, the stop of a failed gang, the end. Idempotent.
void advance(Reaction& r, JobId id);
// Moves the job from CONFIGURING to RUNNING and clears its avoid_nodes. REQUIRES: its attempt got
// its start time (`went`) in this turn.
void begin_running(Reaction& r, JobId id);
// Asks the live attempt to stop, on every node that is not gone. `actor` as in job_event.
void stop_attempt(Reaction& r, JobId id, StopOrder order, const std::string& actor);
// Returns the order to stop the job for `why`. If its QOS asks jobs to save, the job has the grace
// time of the QOS for that. Otherwise it gets SIGTERM at once, and SIGKILL after the grace time.
StopOrder stop_order_of_qos(const Cluster& cluster, const JobEntry& entry, StopWhy why,
                            std::string detail);
// Makes the job's next placements prefer other nodes, until the job has run.
void avoid_node(Reaction& r, JobId id, const std::string& node);
// Ends the node's part of the attempt without a report from the node. Then stops the attempt on its
// other nodes.
void end_lost_part(Reaction& r, JobId id, const std::string& node, const Emptied& proof);
// Returns whether the attempt has several nodes and is stopping because one of its ranks failed.
bool is_failed_gang(const Attempt& attempt);
// If a node of a failed gang has a fault, the failure counts as its consequence: the job is
// requeued.
void excuse_failed_gang(Reaction& r, JobId id);
// Sends the node the orders that its report lacks: Stop, Go, Suspend, and steps of srun.
void remind(Reaction& r, JobId id, const AttemptNode& node, NodePhase phase_there,
            std::int64_t suspension_there);
// Sends the node the Prepare of the attempt (again), unless the attempt waits for its prolog.
void resend_to_node(Reaction& r, JobId id, const std::string& node);

}  // namespace cox
