// Converts nodes, running jobs and pending jobs of the cluster into the scheduler's types.
// EngineFeed puts them into the schedule::Engine. Pure.
#pragma once

#include "controller/job/request.h"
#include "controller/state/cluster.h"
#include "schedule/model/explain_depth.h"
#include "schedule/model/scheduler_input.h"
#include "schedule/queue/longest_waits.h"

namespace cox {

std::vector<schedule::SchedulerNode> scheduler_nodes(const Cluster& cluster, Boot now);
// Returns when the first briefly silent node will have been silent for node_timeout, so that the
// nodes are no longer as scheduler_nodes() returned them; Boot::max() if no node is briefly silent.
Boot next_long_silence(const Cluster& cluster, Boot now);

// Returns the job for the engine's list of running jobs. REQUIRES: the job has a live attempt.
schedule::RunningJob running_job(const Cluster& cluster, const JobEntry& entry, Now now);

// Returns the job for the engine's queue, with its present priority.
schedule::PendingJob pending_job(const Cluster& cluster, const JobEntry& entry);

// Returns whether the job may run in room that is free only until a reservation begins. The job
// must be known to save, or name the signal that asks it to, so that its work there is not lost.
bool fills_holes(const Cluster& cluster, const JobEntry& entry);

// Returns the factors of the job's priority at `now`; empty if priority is not a sum of factors.
std::vector<PriorityFactor> priority_factors(const Cluster& cluster, const JobEntry& entry,
                                             Wall now);
// Returns the factors of the job's priority as texts: "age 12", "nice -5". Factors of 0 are left
// out.
std::vector<std::string> priority_parts(const Cluster& cluster, const JobEntry& entry, Wall now);

// How long a job waited for room until its first start.
struct FirstWait {
  schedule::Standing standing;
  Wall started;
  Milliseconds time{0};
};
// Returns the wait of the job; nullopt if it has not started, has started more than once, or waited
// for a limit or a licence, as far as this controller knows (SoftState::waited_for_limit).
std::optional<FirstWait> first_wait_of(const Cluster& cluster, const JobEntry& entry);
// Returns after how many seconds in the queue the job goes first; 0: never, by the order of the
// settings, or the job is not queued.
std::int64_t first_after_s(const Cluster& cluster, const JobEntry& entry, Wall now);

// Returns a function that names the owner and the shown id of a job, for the engine's texts.
// REQUIRES: the cluster outlives the function.
schedule::TitleOf titles_of(const Cluster& cluster);
// Returns a function that names a limit, its owner, and when its hours change, for the engine's
// texts.
schedule::LimitOf limits_named_by(const Cluster& cluster, Wall now);

// The size and total run time of an ended job, from which the engine learns how long jobs run.
struct Lifetime {
  std::int64_t units = 0;  // number of GPUs; for a job without GPUs, of CPUs
  Milliseconds service{0};
};
// Returns the size and run time of the job; nullopt if the job has not ended, was cancelled, or
// never ran.
std::optional<Lifetime> lifetime_of(const JobEntry& entry);

}  // namespace cox
