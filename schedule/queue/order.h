// The priority of a job inside its tier, by the order of the settings:
//
//   fcfs                the job that has been eligible longest
//   multifactor         Slurm's sum of weighted factors, plus one: how short a job is
//   shortest_first      the shortest time limit
//   least_attained      the least service, in powers of two (Tiresias, NSDI'19)
//   shortest_remaining  the least time left of the limit, times GPUs to the power of 0.7
//   gittins             the least GPU time per end of a job, estimated from earlier jobs
//                       (lifetimes.h): for jobs without useful time limits
//
// If a job reports its progress (`cox progress`), the last two know how long it will still run.
//
// Under multifactor and shortest_first, a job that has waited about as long as any other lately
// (max_age_of()) goes first in its tier (pending_queue.h), so that no stream of better jobs starves
// it. Under multifactor the fair share of its account still counts: the job goes before all jobs of
// accounts with no better fair share, and gains over others the most that all factors but nice
// could give. So a long backlog does not undo fair shares, and a bad fair share improves as usage
// decays. Accounts without shares have no such guarantee, nor has any account if usage never
// decays.
//
// The last three orders follow their publications. Under these a job may starve, and a job may
// preempt jobs of its tier that are behind it (preempt.h).
//
// All waiting jobs age at the same rate. So a priority is computed once, for a fixed time long ago,
// and compares like current priorities.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "schedule/model/request.h"
#include "schedule/model/scheduler_input.h"

namespace cox::schedule {

// What the priority of a job is computed from. The members `*_part`, `fair_share`, `partition` and
// `qos` are from 0 to 1.
struct PriorityInputs {
  Wall eligible = {};
  std::optional<Milliseconds> time_limit = {};  // what is left of the job's time limit
  // run time that the job still needs, by the progress that its earlier attempts reported
  std::optional<Milliseconds> work_left = {};
  Milliseconds ran{0};  // run time of the job's earlier attempts
  std::int64_t cpus = 0;
  std::int64_t gpus = 0;
  double nodes_part = 0;  // part of the cluster's nodes that the job asks for
  double cpus_part = 0;
  double gpus_part = 0;
  double fair_share = 0;
  double partition = 0;
  double qos = 0;
  std::int64_t site = 0;
  std::int64_t nice = 0;
};

// Returns the units by which run time is weighted: the GPUs of the job; without GPUs, its CPUs.
std::int64_t units_of(const Request& request);

// Returns the priority. Under `gittins` it is 0; the engine sets the priorities before each pass.
double priority_of(const Settings& settings, const PriorityInputs& inputs);
// One term of the priority, as of now, to be shown to users.
struct PriorityFactor {
  const char* name = "";
  double points = 0;
};
// Returns the terms of the priority. Empty if the priority is not a sum.
std::vector<PriorityFactor> factors_of(const Settings& settings, const PriorityInputs& inputs,
                                       Wall now);
// Returns the part of the priority that comes from the fair share of the account.
double fair_share_of(const Settings& settings, const PriorityInputs& inputs);
// Returns the wait after which a job goes first, if the longest wait of jobs like it was `longest`
// (longest_waits.h): that wait, rounded down to a power of 2^(1/4), and within the bounds of the
// settings. It is rounded because a change may reorder the whole queue, and because jobs that go
// first still wait until they fit. How wait_memory was chosen: bench/generalise.md.
Milliseconds max_age_of(const PriorityWeights& weights, Milliseconds longest);
// Returns the priority of jobs that have waited for max_age_of(), without their fair share. It
// decreases in steps, since these jobs no longer gain by age.
double priority_of_aged(const Settings& settings, Wall now);

// Returns the run time of the job in all its attempts.
Milliseconds service_of(const RunningJob& job, Boot now);

// Returns the run time that the job still needs by its progress. Empty if it reports none, or if
// it runs longer than its last report said: then it may hang, and must not count as nearly done.
std::optional<Milliseconds> work_left(const RunningJob& job, Boot now);

// Returns the priority that a running job would have if it were queued now. Only for
// `least_attained` and `shortest_remaining`.
double priority_of(const Settings& settings, const RunningJob& job, Boot now);

// Returns whether this order lets a queued job preempt running jobs of its own tier.
bool preempts_inside_tier(OrderPolicy order);
// Returns whether under this order jobs that have waited for max_age_of() go first.
bool ends_starvation(OrderPolicy order);

}  // namespace cox::schedule
