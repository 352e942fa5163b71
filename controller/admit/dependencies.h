// Dependencies of jobs on others: what a job waits for, and how that is told. What follows when a
// job has begun or ended is in judge_dependants.h. Pure.
//
// A job may depend only on jobs that were submitted before it, also when a person changes what it
// waits for, so nobody waits in a circle. Whoever can never start stays, with the reason, or ends,
// as --kill-on-invalid-dep or kill_invalid_depend says.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/base/result.h"
#include "common/syntax/dependency.h"
#include "controller/state/cluster.h"

namespace cox {

// Of a dependency on a job that there never was.
Refusal never_submitted(JobId job);

// One that it names and that memory does not have, nor `recalled`, but the database may.
std::optional<JobId> forgotten_job(const Cluster& cluster, const JobSpec& spec,
                                   const std::vector<Job>& recalled);

// What is left to wait for, of what the specification asks, and from when it is eligible.
// REQUIRES: admitted; `recalled` has what forgotten_job() named.
struct Dependent {
  std::vector<Dependency> dependencies;
  Wall eligible{};
};
Result<Dependent> dependent(const Cluster& cluster, const JobSpec& spec,
                            const std::vector<Job>& recalled, Now now);

// What is left to wait for of a job that waits already.
Dependent judged_again(const Cluster& cluster, const Job& job, Now now);

// "waits for job 12 (RUNNING) to end well", or that it never will. REQUIRES: it has dependencies.
std::string dependencies_text(const Cluster& cluster, const Job& job);

// Of one that waits for nothing but the time after another has begun: "5 min after job 12 (RUNNING)
// began". Empty: its time to begin is of its own.
std::string delay_text(const Cluster& cluster, const Job& job);

// What whoever has just submitted it had better know: that it waits in vain. Empty: it does not.
std::string note_on_dependencies(const Cluster& cluster, JobId id);

}  // namespace cox
