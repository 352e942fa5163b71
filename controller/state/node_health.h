// The health of nodes: which nodes get work, and why others do not. Pure functions on values;
// controller/attempt/react_health.cpp acts on their results.
//
// A node gets work while it responds, is not drained, and no process of an ended job is left on it.
// What is recorded of a node's health:
//
//   in its row   why and by what it is drained; when it came back from silence; failures there
//   soft state   what its worker reports (NodeContact::unfit), how many good heartbeats it has sent
//                in a row, whether it is avoided
//
//   responding ──silent for node_timeout──▶ not responding ──beats_required() good ones──▶
//   responding
//     A heartbeat is good if the one before it was acknowledged and the worker received that. A
//     lost heartbeat or acknowledgement restarts the count. The more often a node has come back
//     lately, the more good heartbeats are needed.
//
//   taking work ──▶ drained, by     Person        until an administrator resumes it
//                                   HealthCheck   its worker reports that it is unfit; until the
//                                                 worker reports no fault
//                                   Failures      failure_score() has reached failures_to_drain,
//                                                 and fewer than a quarter of the nodes are drained
//                                                 for this
//                                   KillTask      processes survived SIGKILL there
//                                   PrologEpilog  its prolog or epilog failed
//     An administrator can resume any drained node; a check that still fails drains it again at
//     once. A node that is drained for one reason keeps it; only an administrator can replace it.
//
// A failure is counted if the node caused it: it refused a launch, was late with it, lost a
// supervisor (unless the cluster's owner ended it or the node has booted since), or was lost with
// its jobs. On one node a job counts once, and an array as one job. A failure counts 1, halved each
// hour. If a job fails on launch_failed_nodes_max nodes, or for the same reason on all nodes, the
// job is at fault: it is held, and the failures of the nodes are removed.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "common/base/time.h"
#include "common/cluster/config.h"
#include "common/cluster/node.h"
#include "common/job/job.h"
#include "controller/state/cluster.h"

namespace cox {

inline constexpr Milliseconds failure_half_life{3'600'000};
// A node that is lost again within this time counts as lost once.
inline constexpr Milliseconds node_loss_apart{60'000};
// Each return from silence within the last hour doubles the number of good heartbeats that the node
// needs, up to return_beats_factor_max times. A return with a time in the future, from before the
// clock was set back, does not count.
inline constexpr Milliseconds return_remembered{3'600'000};
inline constexpr std::int64_t return_beats_factor_max = 16;
inline constexpr std::size_t launch_failed_nodes_max = 3;
// The first words of the reason of a node that responds again and gets no work yet.
inline constexpr const char* returning_begins = "returning: ";
inline constexpr const char* kill_failed = "Kill task failed";  // Slurm's wording
// A node that has missed this many heartbeats may be the cause of a failed rank on another node.
inline constexpr std::int64_t missed_beats_to_suspect = 3;
// How long after a failed run fence_program runs again, and how often it runs while a node stays
// silent.
inline constexpr Milliseconds fence_retry{30'000};
inline constexpr int fence_tries_max = 5;
// For this time after a node stopped responding it is "briefly silent": no job starts there, and
// the reservations that backfill made for gangs on the node are kept.
inline constexpr Milliseconds reserved_through_silence{60'000};
bool is_briefly_silent(const Node& node, const NodeContact& live, Boot now);
// The scheduling weight of a node that is avoided: above any that an administrator can set, so the
// node is chosen last.
inline constexpr std::int64_t avoided_weight = std::int64_t{1} << 33;

// Returns whether jobs can start on the node at present.
bool takes_work(const Node& node);

// Returns how many good heartbeats in a row a node needs to get work again.
std::int64_t beats_required(const Node& node, const ControllerConfig& config, Wall now);
void note_return(Node& node, Wall now);  // records that the node came back from silence

// Returns the number of good heartbeats in a row, with the one that has just arrived. `before`:
// their number until then. `last`: number of the newest acknowledged heartbeat. `confirmed`: number
// of the newest one whose acknowledgement the worker received; negative: the worker does not report
// it.
std::int64_t good_beats_with(std::int64_t before, std::int64_t last, std::int64_t confirmed);

// Returns the job to which a failure is attributed; for a task of an array, the array.
JobId culprit_of(const Job& job);
// Records a failure of the job `culprit` on the node; JobId{}: the node was lost. Returns false if
// this failure is already counted.
bool note_failure(Node& node, JobId culprit, Wall now);
// Removes the failures of the job from the node. Returns false if there were none.
bool forgive(Node& node, JobId culprit);
double failure_score(const Node& node, Wall now);
bool is_to_be_avoided(const Node& node, const ControllerConfig& config, Wall now);
bool is_to_be_drained(const Node& node, const ControllerConfig& config, Wall now);
// Returns whether one more node may be drained for its failures. The limit is a quarter of the
// nodes, and at least one node.
bool may_drain_one_more(const std::map<std::string, Node>& nodes);

// Returns the note of a node that could not read the checkpoint from which an attempt was to
// resume. By it why_launch_fails_everywhere() recognises this.
std::string unread_note(const std::string& refusal);
// Returns whether the job is held because nodes could not read its checkpoint.
bool is_held_for_unread(const Job& job);

// Returns why the job is held after its newest attempt could not be launched; nullopt: the launch
// is tried again.
std::optional<std::string> why_launch_fails_everywhere(const Cluster& cluster, const Job& job,
                                                       const Attempt& attempt);

// Records in `live` that a message of the node has arrived, and whether that ended a silence.
void note_contact(NodeContact& live, const ControllerConfig& config, Boot now);

// Returns, as text for people, a fault of the checkpoint folder on a node that may be the cause of
// a failed rank: the node could not read or write what a rank had saved, or the rank of a job that
// saves has failed there and the node does not see the folder.
std::optional<std::string> folder_fault_of(const Cluster& cluster, const Attempt& attempt);

// Returns, as text for people, a fault of one of the attempt's nodes that may be the cause of a
// failed rank: the node is silent, was silent within fault_settle, is unfit by its worker's report,
// or has a fault of the checkpoint folder.
std::optional<std::string> node_fault_of(const Cluster& cluster, const Attempt& attempt, Boot now);

// Returns whether more than one node and more than a quarter of the nodes are silent. Then the
// network or the controller is more likely at fault, and no node is fenced.
bool too_many_are_silent(const Cluster& cluster);

// Returns the time from the last renewal of a lease after which a supervisor has certainly stopped
// its ranks by itself, with the greatest allowed drift of clocks.
Milliseconds lost_after(const ControllerConfig& config);

}  // namespace cox
