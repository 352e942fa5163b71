// A simulation in figures. Times are in seconds, as people compare them.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "simulate/run/simulation.h"
#include "simulate/trace/cluster.h"
#include "simulate/trace/trace.h"

namespace cox::simulate {

// Percentiles are values that occurred: the smallest that so many % do not exceed.
struct Spread {
  double mean = 0;
  double p50 = 0;
  double p95 = 0;
  double p99 = 0;
  double max = 0;
};
Spread spread_of(std::vector<double> values);

struct Summary {
  std::int64_t jobs = 0;           // of the trace
  std::int64_t skipped = 0;        // void records of the trace
  std::int64_t impossible = 0;     // the cluster could never run them
  std::int64_t never_started = 0;  // still waited when nothing happened any more
  std::int64_t ended = 0;          // of these all that follows tells
  Spread wait_s;
  Spread slowdown;                        // bounded: max(1, completion / max(run, 10 s))
  Spread completion_s;                    // from submission to the end
  std::optional<Spread> recorded_wait_s;  // as the log itself has it
  std::optional<Spread> recorded_completion_s;
  double makespan_s = 0;                    // from the first submission to the last end
  double cpu_utilisation = 0;               // work done, of CPUs × makespan
  std::optional<double> gpu_utilisation;    // of a cluster with GPUs
  std::optional<double> gpu_allocation;     // the mean over time, of all GPUs
  std::optional<double> gpu_fragmentation;  // the mean over time, of all GPUs
  std::int64_t queue_max = 0;               // jobs waiting after a pass
  std::int64_t preemptions = 0;
  std::int64_t useless_kills = 0;
  double lost_gpu_hours = 0;
  double lost_cpu_hours = 0;
};

Summary summary_of(const Cluster& cluster, const Trace& trace, const Simulated& simulated);

}  // namespace cox::simulate
