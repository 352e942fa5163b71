// Runs a trace in virtual time: jobs arrive, run and end, and the engine decides. At each instant
// jobs end first, then jobs arrive, then there is one pass. A preempted job saves, leaves its nodes
// and is queued again with the rest of its work. Pure; the same input gives the same output.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "simulate/run/engine.h"
#include "simulate/run/fair_shares.h"
#include "simulate/trace/cluster.h"
#include "simulate/trace/trace.h"

namespace cox::simulate {

// What a preemption costs the victim. It does no work in these times.
struct PreemptionCost {
  Milliseconds save{0};     // from the request to save until it leaves its nodes
  Milliseconds restart{0};  // from its next start until it works again
};

struct JobRecord {
  bool possible = true;  // false: it fits nowhere on the cluster, and was left out
  std::optional<Milliseconds> first_start;
  std::optional<Milliseconds> end;
  Milliseconds waited{0};  // total time that the job waited in the queue
  Milliseconds lost{0};    // time that the job was on nodes without progress
  std::int32_t attempts = 0;
};

// A time in which a job was queued, or on its nodes.
struct Stay {
  JobAt job = 0;
  bool on_nodes = false;
  Milliseconds from{};
  Milliseconds to{};
};

// The state after the pass at one instant.
struct Moment {
  Milliseconds at{};
  std::int64_t pending = 0;
  std::int64_t running = 0;
  std::int64_t cpu_milli_used = 0;
  std::int64_t gpu_milli_used = 0;
  double gpu_milli_fragmented = 0;
};

struct Simulated {
  std::vector<JobRecord> jobs;  // one record per job, in the order of the trace
  std::vector<Moment> moments;
  std::vector<Stay> stays;  // by their ends
  std::int64_t preemptions = 0;
  // Preemptions whose preemptor started on none of the freed nodes, or never.
  std::int64_t useless_kills = 0;
  double lost_gpu_ms = 0;
  double lost_cpu_ms = 0;
};

// Called after each pass with the number of ended jobs and of all jobs.
using Progress = std::function<void(std::size_t ended, std::size_t jobs)>;

// Simulates the jobs until none is left that can start. Refused if passes at one instant never come
// to an end. `shares`: null if no accounts are used.
Result<Simulated> simulate(const Cluster& cluster, const std::vector<TraceJob>& jobs,
                           Engine& engine, const PreemptionCost& cost, const Progress& progress,
                           FairShares* shares = nullptr);

}  // namespace cox::simulate
