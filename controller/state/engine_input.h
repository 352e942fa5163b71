// The scheduler's view of the cluster: what Cluster tells its schedule::Engine. Pure.
#pragma once

#include "controller/state/cluster.h"
#include "controller/state/request.h"
#include "schedule/model/explain_depth.h"
#include "schedule/model/scheduler_input.h"

namespace cox {

std::vector<schedule::SchedulerNode> scheduler_nodes(const Cluster& cluster, Boot now);
// Returns when the first of the short silences turns long, so that the nodes are no longer as
// scheduler_nodes() returned them; Boot::max() if no node is briefly silent.
Boot next_long_silence(const Cluster& cluster, Boot now);

// REQUIRES: a live attempt.
schedule::RunningJob running_job(const Cluster& cluster, const JobEntry& entry, Now now);

schedule::PendingJob pending_job(const Cluster& cluster, const JobEntry& entry);

// It is known to save, or says how it is to be asked: what it does before a reservation is not
// lost.
bool fills_holes(const Cluster& cluster, const JobEntry& entry);

// By the factors as they are now, and for its association; the job keeps what it gets while it is
// in line.
void prioritise(const Cluster& cluster, JobEntry& entry);

// What it would be made of now; nothing where it is no sum.
std::vector<PriorityFactor> priority_factors(const Cluster& cluster, const JobEntry& entry,
                                             Wall now);
// The same for people: "age 12", "nice -5"; what is nothing is left out.
std::vector<std::string> priority_parts(const Cluster& cluster, const JobEntry& entry, Wall now);

// Whose each job is and what people call it, for what they are told. The cluster outlives it.
schedule::TitleOf titles_of(const Cluster& cluster);
schedule::LimitOf limits_named_by(const Cluster& cluster, Wall now);

// The last moment from which it can end by its deadline. REQUIRES: it has one.
Wall latest_start(const JobSpec& spec);

// What one that has ended tells of how long jobs run; nothing if it was cancelled or never ran.
struct Lifetime {
  std::int64_t units = 0;  // GPUs; CPUs where it had none
  Milliseconds service{0};
};
std::optional<Lifetime> lifetime_of(const JobEntry& entry);

}  // namespace cox
