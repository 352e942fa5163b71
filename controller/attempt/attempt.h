// How an attempt moves on: it begins, saves, is asked to stop, loses nodes, ends. advance() is the
// one path; all others change what it looks at. Pure but for the Reaction.
#pragma once

#include <string>

#include "controller/ledger/reaction.h"

namespace cox {

// Looks only at the present state of the job's live attempt and does what it demands; idempotent.
void advance(Reaction& r, JobId id);
// From CONFIGURING to RUNNING; the nodes it avoided are forgotten. REQUIRES: its attempt went in
// this turn.
void begin_running(Reaction& r, JobId id);
// Asks the live attempt to stop, on every node that is not gone. `actor` as in job_event.
void stop_attempt(Reaction& r, JobId id, StopOrder order, const std::string& actor);
// Asked to save within its grace, or stopped at once.
StopOrder stop_as_its_qos_says(const Cluster& cluster, const JobEntry& entry, StopWhy why,
                               std::string detail);
// The next placements rather take other nodes, until the job has run.
void avoid_node(Reaction& r, JobId id, const std::string& node);
// The node's part of the attempt is over without its word: by the lease's end, or because the node
// came back without it.
void lose_node(Reaction& r, JobId id, const std::string& node, const std::string& why);
// Whether a rank of an attempt on several nodes failed first, as far as is known.
bool is_failed_gang(const Attempt& attempt);
// If a node of a failed gang has a fault, the failure counts as its consequence: the job is
// requeued.
void excuse_failed_gang(Reaction& r, JobId id);
// Sends what a node lacks of what it should know of the attempt.
void remind(Reaction& r, JobId id, const AttemptNode& node, NodePhase phase_there,
            std::int64_t suspension_there);
void resend_to_node(Reaction& r, JobId id, const std::string& node);

}  // namespace cox
