// What keeps pending jobs from being eligible: begin times, dependencies and partitions; with
// indexes that find the jobs to check next. All of it is computed from the jobs' rows. Not here:
// whether a job is held or waits for its next launch (JobEntry, JobTable). Part of Cluster; only
// Cluster changes it. Pure.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "controller/job/dependants.h"
#include "controller/state/job_table.h"
#include "controller/state/partition_table.h"
#include "controller/state/wait_records.h"

namespace cox {

// Returns the time before which the pending job does not start. This is Job::eligible, unless it is
// farther away than a requeue or a delay in its dependencies explains: then the clock has been set
// back since it was stored, and only the job's own begin time counts.
Wall begins_at(const Job& job, Wall now);

class Eligibility {
 public:
  // REQUIRES: all three arguments outlive this object.
  Eligibility(const JobTable& jobs, const PartitionTable& partitions, const WaitRecords& waits)
      : jobs_(jobs), partitions_(partitions), waits_(waits) {}

  // begins(): jobs whose begin time has not come, sorted by that time. latest_starts(): pending
  // jobs with a deadline, sorted by the latest start with which they meet it.
  using Moments = std::set<std::pair<Wall, JobId>>;
  const Moments& begins() const { return begins_; }
  std::optional<Wall> begin_time(JobId id) const;  // in begins()
  const Moments& latest_starts() const { return latest_starts_; }
  // Returns the jobs in begins() whose wait is over by the boot clock, since the wall clock was set
  // back meanwhile: jobs that wait some seconds after a requeue, or some minutes after another job
  // has begun.
  std::vector<JobId> due_by_boot(Now now) const;
  const Dependants& dependants() const { return dependants_; }
  // Jobs that can never start and whose pending reason is not stored yet. Until it is stored,
  // memory keeps the jobs that they depend on.
  const std::set<JobId>& hopeless_unrecorded() const { return hopeless_unrecorded_; }
  // Pending jobs for which none of the partitions that they name starts jobs now.
  const std::set<JobId>& kept_out() const { return kept_out_; }

  // For Cluster.
  void clear();
  // Called after the job's row has changed. index() updates everything except the begin time and
  // the deadline, which index_moments() does.
  void index(JobEntry& entry);
  void index_moments(JobEntry& entry, Now now);
  void index_partitions(JobEntry& entry);
  void index_hopeless(const Job& job);
  // Removes the job's current specification from the indexes, before the job gets another one.
  void forget_spec(const JobEntry& entry);
  // Makes the job eligible when its begin time has come. CHECKs that it waited for that time.
  void let_begin(JobEntry& entry);
  // Begins to index unfinished jobs by name, for --dependency=singleton, if not yet done.
  void follow_names();

 private:
  void index_dependencies(const Job& job);
  void forget_begin(JobEntry& entry);
  bool has_come(const Awaited& awaited) const;

  const JobTable& jobs_;
  const PartitionTable& partitions_;
  const WaitRecords& waits_;
  Moments begins_;
  std::map<JobId, Wall> begin_times_;  // the times in `begins_`, by job
  // When a wait that the job itself did not set is over by the boot clock.
  std::map<JobId, Boot> put_off_;
  Moments latest_starts_;
  Dependants dependants_;
  std::set<JobId> hopeless_unrecorded_;
  std::set<JobId> kept_out_;
};

}  // namespace cox
