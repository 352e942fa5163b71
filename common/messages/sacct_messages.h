// The requests of sacct, sstat and seff, and the replies. client_messages.h has all other messages
// of clients. Jobs of all times, live and ended, are read from PostgreSQL, with their attempts
// (runs) and steps. Workers report the present resource use of live jobs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/base/fields.h"
#include "common/base/ids.h"
#include "common/base/time.h"
#include "common/job/attempt.h"
#include "common/job/job.h"
#include "common/job/step.h"

namespace cox {

// Lists the jobs that match all lists and were in one of `states` at some time from `since` to
// `until`, as sacct does. An empty list matches all jobs.
struct ListAccounting {
  static constexpr int tag = 40;
  std::vector<JobId> ids;  // jobs that are listed whatever the times are; empty: all in the time
  std::vector<std::string> tasks{};  // as in ListJobs
  std::vector<std::string> users;
  std::vector<std::string> accounts;
  std::vector<std::string> partitions;
  std::vector<std::string> qos;
  std::vector<std::string> names;
  std::vector<std::string> nodes;  // only jobs that ran on one of these nodes; empty: all
  std::vector<JobState> states;    // states of live jobs such as CONFIGURING count as RUNNING
  Wall since{};                    // Wall{}: no bound
  Wall until{};                    // Wall{}: now
  bool steps = true;               // also list the steps of the attempts
  bool all_runs{};  // list all attempts, as sacct --duplicates; otherwise only the newest
  // The page begins after this job. If after_step is set, it begins with the steps of this job
  // after that one.
  JobId after;
  StepKey after_step{{}, -1};

  COX_FIELDS(ids, tasks, users, accounts, partitions, qos, names, nodes, states, since, until,
             steps, all_runs, after, after_step);
};

// An attempt (run) of a job, for accounting.
struct RunRecord {
  AttemptNumber number;   // 0: no attempt, because the job is pending or ended before it started
  std::string partition;  // partition in which it ran; empty: that of the job
  Wall began{};
  Wall went{};  // Wall{}: never
  Wall ended{};
  Wall suspended_since{};         // Wall{}: it is not suspended now
  std::int64_t suspended_ms = 0;  // total time of earlier suspensions
  StopWhy stop = StopWhy::None;
  std::int64_t time_limit_s = 0;  // own limit, shorter than the job's; 0: that of the job applies
  std::string nodelist;           // its nodes in the order of the ranks: "n[1-4]"
  // Granted resources on all nodes.
  std::int64_t nodes = 0;
  std::int64_t cpus = 0;
  std::int64_t memory_mb = 0;  // 0: not counted
  std::int64_t gpu_milli = 0;
  // The resources on the first node, where a batch script runs.
  std::string first_node;
  std::int64_t first_cpus = 0;
  std::int64_t first_memory_mb = 0;
  std::int64_t first_gpu_milli = 0;
  // How rank 0 ended, and when.
  std::int32_t exit_code = 0;
  std::int32_t exit_signal = 0;
  Wall rank_ended{};  // Wall{}: it has not ended
  StepUsage usage;    // use by the ranks on all nodes, without steps of srun

  COX_FIELDS(number, partition, began, went, ended, suspended_since, suspended_ms, stop,
             time_limit_s, nodelist, nodes, cpus, memory_mb, gpu_milli, first_node, first_cpus,
             first_memory_mb, first_gpu_milli, exit_code, exit_signal, rank_ended, usage);
  bool operator==(const RunRecord&) const = default;
};

// A job with one of its attempts.
struct JobRecord {
  Job job;
  RunRecord run;
  bool newest = true;       // false: a later attempt exists, or the job will start again
  std::vector<Step> steps;  // steps of the attempt, by number
  std::string ended_by;     // who cancelled the job: "user ada"; empty: nobody did
  std::string reason;       // pending reason, as in Slurm; empty: the job is not pending

  COX_FIELDS(job, run, newest, steps, ended_by, reason);
  bool operator==(const JobRecord&) const = default;
};

struct AccountingPage {
  static constexpr int tag = 113;
  std::vector<JobRecord> records;  // by job id; attempts of a job from the oldest on
  bool more = false;
  std::string cluster;
  Wall now{};
  // The same fields of the request for the next page.
  JobId after{};
  StepKey after_step{{}, -1};
  Wall first_moment{};  // time before which the cluster has no records; 0: unknown
  COX_FIELDS(records, more, cluster, now, after, after_step, first_moment);
};

// Returns the processes of an attempt on one node with their resource use. Sent to the worker of
// that node.
struct SampleUsage {
  static constexpr int tag = 46;
  AttemptKey key;
  COX_FIELDS(key);
};

struct ProcessSample {
  std::int64_t pid = 0;
  std::int32_t step = -1;  // number of the step to which it belongs; -1: no step
  std::int32_t task = 0;   // rank of its task in that step
  std::int64_t cpu_ms = 0;
  std::int64_t rss_kb = 0;  // the peak
  std::int64_t vsize_kb = 0;
  std::int64_t read_bytes = 0;
  std::int64_t written_bytes = 0;
  std::int64_t pages = 0;  // page faults that had to read from disk
  COX_FIELDS(pid, step, task, cpu_ms, rss_kb, vsize_kb, read_bytes, written_bytes, pages);
};

struct UsageSample {
  static constexpr int tag = 121;
  std::vector<ProcessSample> processes;  // by pid
  COX_FIELDS(processes);
};

}  // namespace cox
