// The health of nodes: which of them get work, and what keeps it away. Judgements on values, pure;
// react_health.cpp makes them true.
//
// A node is given work while it responds, nobody has drained it and nothing that is over still runs
// there. What is known of its health:
//
//   of its row     drained, by whom and why; when it came back from silence; what failed there
//   believed only  what its worker says of itself (NodeContact::unfit), its good heartbeats in a
//   row,
//                  whether it is avoided: all follow from the row and from what is heard
//
//   responding ──silent for node_timeout──▶ not responding ──beats_wanted() good ones──▶ responding
//     A heartbeat is good when the one before it has been acknowledged and the worker has heard it:
//     what is lost either way begins the count anew. The more often a node has come back lately,
//     the more are wanted.
//
//   taking work ──▶ drained, by     Person        until a person resumes it
//                                   HealthCheck   its worker says that it is unfit, until it does
//                                                 not any more
//                                   Failures      failure_score() has reached failures_to_drain,
//                                                 and not a quarter of the nodes are so already
//                                   KillTask      processes there outlive SIGKILL
//                                   PrologEpilog  its prolog or its epilog failed
//     A person resumes whatever was drained; a check that still fails drains it again at once. Whom
//     one drains no other takes over, but a person.
//
// A failure is one of the node's reasons: it refused a launch, was late with it, lost a supervisor,
// or was lost with the jobs it had. A job counts once on a node, an array as one job; a failure
// counts one, and half as much each hour later. A job that fails on launch_failed_nodes_max nodes,
// or everywhere for the same reason, is held: the fault is its own, and the nodes are forgiven.
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
// So often a node that was lost counts as lost again.
inline constexpr Milliseconds node_loss_apart{60'000};
// A return counts for so long (one that a clock noted which was set back since not at all), doubles
// what is wanted next time, and no more than that.
inline constexpr Milliseconds return_remembered{3'600'000};
inline constexpr std::int64_t return_beats_factor_max = 16;
inline constexpr std::size_t launch_failed_nodes_max = 3;
inline constexpr const char* kill_failed = "Kill task failed";  // Slurm's
// A node that has missed so many heartbeats may be why another rank of its gang failed.
inline constexpr std::int64_t missed_beats_to_suspect = 3;
// Retries of fence_program that failed, and how many times it runs in one silence.
inline constexpr Milliseconds fence_retry{30'000};
inline constexpr int fence_tries_max = 5;
// What is reserved on a node stays reserved for so long after the node stopped responding.
inline constexpr Milliseconds reserved_through_silence{60'000};
bool is_briefly_silent(const Node& node, const NodeContact& live, Boot now);
// Heavier than any node that an administrator has given a weight: the last to be taken.
inline constexpr std::int64_t avoided_weight = std::int64_t{1} << 33;

// Returns whether jobs can start on the node at present.
bool takes_work(const Node& node);

// Good heartbeats in a row until it gets work again.
std::int64_t beats_wanted(const Node& node, const ControllerConfig& config, Wall now);
void note_return(Node& node, Wall now);

// How many good ones there are in a row with this one. `last`: number of the newest acknowledged.
std::int64_t good_beats_with(std::int64_t before, std::int64_t last, std::int64_t confirmed);

// Whose failure it is: an array is one job.
JobId culprit_of(const Job& job);
// `culprit` JobId{}: the node itself was lost. False: it counts already.
bool note_failure(Node& node, JobId culprit, Wall now);
bool forgive(Node& node, JobId culprit);  // false: there was nothing
double failure_score(const Node& node, Wall now);
bool is_to_be_avoided(const Node& node, const ControllerConfig& config, Wall now);
bool is_to_be_drained(const Node& node, const ControllerConfig& config, Wall now);
// A quarter of the nodes, at least one, may be drained for their failures.
bool may_drain_one_more(const std::map<std::string, Node>& nodes);

// Why the job is to be held now that this attempt, its newest, could not be launched; nothing: it
// is to be tried again.
std::optional<std::string> why_launch_fails_everywhere(const Cluster& cluster, const Job& job,
                                                       const Attempt& attempt);

// Notes that the node was heard, and whether that ended a silence.
void hear(NodeContact& live, const ControllerConfig& config, Boot now);

// A fault of one of its nodes that may be why a rank of the gang failed, for people: a node that is
// silent, or was within fault_settle, or is unfit by the word of its worker.
std::optional<std::string> node_fault_of(const Cluster& cluster, const Attempt& attempt, Boot now);

// Whether so many nodes are silent that more likely the network or the controller is at fault: more
// than a quarter of them, and more than one. No node is fenced then.
bool too_many_are_silent(const Cluster& cluster);

// From the last renewal until a supervisor has surely stopped its ranks by itself, with clocks that
// run apart as far as they may.
Milliseconds lost_after(const ControllerConfig& config);

}  // namespace cox
