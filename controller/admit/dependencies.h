// Dependencies of jobs on other jobs: resolves them at submission, checks them again, and describes
// them in text. update_dependants.h decides when to check them again. Pure.
//
// A job may depend only on jobs that were submitted before it, also when a user changes its
// dependencies; so there are no cycles. A job that can never start stays pending with that reason,
// or is cancelled, as --kill-on-invalid-dep or kill_invalid_depend says.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/base/result.h"
#include "common/syntax/dependency.h"
#include "controller/state/cluster.h"

namespace cox {

// Returns the refusal of a dependency on a job that never existed.
Refusal never_submitted(JobId job);

// Returns a job that the dependency names, and that is neither in memory nor in `recalled`; the
// database may have it. Nothing: there is none.
std::optional<JobId> forgotten_job(const Cluster& cluster, const DependencyWish& wish,
                                   const std::vector<Job>& recalled);

struct Dependent {
  std::vector<Dependency> dependencies;  // the job's dependencies that are not met yet
  // The earliest start once these are met: the begin time, or later by +MINUTES of a dependency.
  Wall eligible{};
};
// Resolves --dependency and --begin of a new job. Refused: a job that never existed, or a task that
// the array does not have. REQUIRES: the job is admitted; `recalled` has all jobs that
// forgotten_job() returns.
Result<Dependent> dependent(const Cluster& cluster, const ParsedSpec& spec,
                            const std::vector<Job>& recalled, Now now);

// Checks the dependencies of a pending job again. Returns those that are not met.
Dependent evaluate_again(const Cluster& cluster, const Job& job, Now now);

// Returns what the job waits for: "waits for job 12 (RUNNING) to complete successfully", or "waits
// in vain for ..." if that can never happen. REQUIRES: the job has dependencies.
std::string dependencies_text(const Cluster& cluster, const Job& job);

// Returns what the begin time of the job depends on: "5 min after job 12 (RUNNING) began". Empty:
// the job has only a begin time of its own. REQUIRES: its dependencies are met.
std::string delay_text(const Cluster& cluster, const Job& job);

// Returns the note for the user who has just submitted the job, if the job can never start or has
// ended already; otherwise "".
std::string note_on_dependencies(const Cluster& cluster, JobId id);

}  // namespace cox
