// Who is next: the priority of a job inside its tier, by the order in the settings.
//
//   fcfs                who is eligible for longer
//   multifactor         Slurm's sum of weighted factors, and one of ours: how short a job is
//   shortest_first      the shortest time limit
//   least_attained      who has had the least service, in powers of two (Tiresias, NSDI'19)
//   shortest_remaining  the least time left of its limit, times GPUs to the power of 0.7
//   gittins             whose end costs the least GPU time, by what the jobs before it took
//                       (lifetimes.h): for jobs that say nothing of how long they are
//
// A job that has waited for max_age goes before all others of its tier (pending_queue.h), so that
// no flow of better jobs starves it: by multifactor and shortest_first. By multifactor it does so
// within its account's share: before all whose account has no better one, and before others by as
// much as all else could give it, but for nice. So a long backlog does not undo shares, and whose
// share is bad today gets a better one as its use decays. An account without shares has no such
// promise, nor has anybody where use is never forgotten. The last three orders are for who wants
// them as published, without such a guard; they also let a job take the room of one that stands
// behind it (preempt.h).
//
// The age of all who wait grows at the same rate, so it need not be reckoned again and again: a
// priority here is that of a moment long ago, and compares as those of now would.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "schedule/model/request.h"
#include "schedule/model/scheduler_input.h"

namespace cox::schedule {

// What the factors are made of. Parts and what comes of accounts, partitions and QOS: from 0 to 1.
struct PriorityInputs {
  Wall eligible = {};
  std::optional<Milliseconds> time_limit = {};  // what is left of it
  Milliseconds ran{0};                          // in earlier attempts
  std::int64_t cpus = 0;
  std::int64_t gpus = 0;
  double nodes_part = 0;  // of the cluster's
  double cpus_part = 0;
  double gpus_part = 0;
  double fair_share = 0;
  double partition = 0;
  double qos = 0;
  std::int64_t site = 0;
  std::int64_t nice = 0;
};

// What a job's time counts by: its GPUs, or its CPUs where it has none.
std::int64_t units_of(const Request& request);

// By `gittins` the engine knows better: it gives all who wait and run theirs before each pass.
double priority_of(const Settings& settings, const PriorityInputs& standing);
// What that is made of as of now, for people. Empty where it is no sum.
struct PriorityFactor {
  const char* name = "";
  double points = 0;
};
std::vector<PriorityFactor> factors_of(const Settings& settings, const PriorityInputs& standing,
                                       Wall now);
// ... and what of it is its account's.
double fair_share_of(const Settings& settings, const PriorityInputs& standing);
// Of one that has waited for max_age, but for its account's part. It goes down now and then, as
// nobody ages beyond.
double priority_of_aged(const Settings& settings, Wall now);

// What it has done, in all its attempts.
Milliseconds service_of(const RunningJob& job, Boot now);

// Of one that runs, as if it stood in line now with what it has done. Only for the other orders
// that preempt.
double priority_of(const Settings& settings, const RunningJob& job, Boot now);

bool preempts_inside_tier(OrderPolicy order);
// Whether one that waits takes the room of one of its tier that runs, by the priorities of both.
bool takes_room(OrderPolicy order, double waiting, double running);
bool ends_starvation(OrderPolicy order);

}  // namespace cox::schedule
