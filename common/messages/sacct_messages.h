// What sacct, sstat and seff ask and are answered; client_messages.h has the rest. Jobs of all
// times, with their runs and steps, are read from the store, ended ones and live ones alike. What
// the processes of a live one take is asked of the workers.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/base/ids.h"
#include "common/base/time.h"
#include "common/job/attempt.h"
#include "common/job/job.h"
#include "common/job/step.h"

namespace cox {

// Jobs that were in one of the states at some time between the two moments, as sacct means it. All
// lists: empty is any.
struct ListAccounting {
  static constexpr int tag = 40;
  std::vector<JobId> ids;            // named ones are told whenever they were
  std::vector<std::string> tasks{};  // as in ListJobs
  std::vector<std::string> users;
  std::vector<std::string> accounts;
  std::vector<std::string> partitions;
  std::vector<std::string> qos;
  std::vector<std::string> names;
  std::vector<std::string> nodes;  // that it ran on
  std::vector<JobState> states;    // CONFIGURING and the like count as RUNNING
  Wall since{};                    // Wall{}: since ever
  Wall until{};                    // Wall{}: now
  bool steps = true;               // with the steps of their runs
  bool all_runs{};                 // every attempt, as sacct --duplicates; else the newest
  // The page begins behind this job; and of the first job it tells only the steps behind this one.
  JobId after;
  StepKey after_step{{}, -1};

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.ids, self.tasks, self.users, self.accounts, self.partitions, self.qos, self.names,
          self.nodes, self.states, self.since, self.until, self.steps, self.all_runs, self.after,
          self.after_step);
  }
};

// One attempt at a job, in short.
struct RunRecord {
  AttemptNumber number;   // 0: none; the job waits, or ended before it began again
  std::string partition;  // empty: that of the job
  Wall began{};
  Wall went{};  // Wall{}: never
  Wall ended{};
  Wall stands_since{};            // it stands still; Wall{}: it does not
  std::int64_t suspended_ms = 0;  // before that
  StopWhy stop = StopWhy::None;
  std::int64_t time_limit_s = 0;  // shorter than the job's; 0: the job's own
  std::string nodelist;           // "n[1-4]", in the order of the ranks
  // Granted, on all nodes.
  std::int64_t nodes = 0;
  std::int64_t cpus = 0;
  std::int64_t memory_mb = 0;  // 0: not counted
  std::int64_t gpu_milli = 0;
  // Of it on the first node, where a batch script runs.
  std::string first_node;
  std::int64_t first_cpus = 0;
  std::int64_t first_memory_mb = 0;
  std::int64_t first_gpu_milli = 0;
  // Of the rank 0.
  std::int32_t exit_code = 0;
  std::int32_t exit_signal = 0;
  Wall rank_ended{};  // Wall{}: it has not
  StepUsage usage;    // of the ranks on all nodes, those of steps apart

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.number, self.partition, self.began, self.went, self.ended, self.stands_since,
          self.suspended_ms, self.stop, self.time_limit_s, self.nodelist, self.nodes, self.cpus,
          self.memory_mb, self.gpu_milli, self.first_node, self.first_cpus, self.first_memory_mb,
          self.first_gpu_milli, self.exit_code, self.exit_signal, self.rank_ended, self.usage);
  }
  bool operator==(const RunRecord&) const = default;
};

// A job and one of its runs.
struct JobRecord {
  Job job;
  RunRecord run;
  bool newest = true;       // else it was run again, or is to be
  std::vector<Step> steps;  // of the run, by number
  std::string ended_by;     // who cancelled it, "user ada"; empty: nobody
  std::string reason;       // why it waits, by Slurm's name; empty: it does not

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.job, self.run, self.newest, self.steps, self.ended_by, self.reason);
  }
  bool operator==(const JobRecord&) const = default;
};

struct AccountingPage {
  static constexpr int tag = 113;
  std::vector<JobRecord> records;  // by the job's id, and oldest first
  bool more = false;
  std::string cluster;
  Wall now{};
  // Where the next page begins: ListAccounting has them.
  JobId after{};
  StepKey after_step{{}, -1};
  Wall first_moment{};  // the cluster did not exist before; 0: not known
  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.records, self.more, self.cluster, self.now, self.after, self.after_step,
          self.first_moment);
  }
};

// To a worker: what the processes of an attempt are and take now, on its node.
struct SampleUsage {
  static constexpr int tag = 46;
  AttemptKey key;
  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.key);
  }
};

struct ProcessSample {
  std::int64_t pid = 0;
  std::int32_t step = -1;  // whose it is; -1: of no step
  std::int32_t task = 0;   // which rank of it
  std::int64_t cpu_ms = 0;
  std::int64_t rss_kb = 0;  // the most so far
  std::int64_t vsize_kb = 0;
  std::int64_t read_bytes = 0;
  std::int64_t written_bytes = 0;
  std::int64_t pages = 0;  // faults that had to wait for the disk
  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.pid, self.step, self.task, self.cpu_ms, self.rss_kb, self.vsize_kb, self.read_bytes,
          self.written_bytes, self.pages);
  }
};

struct UsageSample {
  static constexpr int tag = 121;
  std::vector<ProcessSample> processes;  // by pid
  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.processes);
  }
};

}  // namespace cox
