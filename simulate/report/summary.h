// The figures of a simulation. Times are in seconds.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "simulate/run/simulation.h"
#include "simulate/trace/cluster.h"
#include "simulate/trace/trace.h"

namespace cox::simulate {

// Percentiles are values that occurred: the smallest that this percentage of values does not
// exceed.
struct Spread {
  double mean = 0;
  double p50 = 0;
  double p95 = 0;
  double p99 = 0;
  double max = 0;
};
Spread spread_of(std::vector<double> values);

struct Summary {
  std::int64_t jobs = 0;           // in the trace
  std::int64_t skipped = 0;        // records that are void by the rules of the trace's format
  std::int64_t impossible = 0;     // jobs that could never run on the cluster
  std::int64_t never_started = 0;  // jobs that had not started when the simulation ended
  std::int64_t ended = 0;          // the figures from wait_s to gpu_utilisation are of these jobs
  Spread wait_s;
  Spread slowdown;                        // bounded: max(1, completion / max(run, 10 s))
  Spread completion_s;                    // from the submission of a job to its end
  std::optional<Spread> recorded_wait_s;  // from the log
  std::optional<Spread> recorded_completion_s;
  double makespan_s = 0;                  // from the first submission to the last end
  double cpu_utilisation = 0;             // CPU-seconds of work done / (CPUs × makespan)
  std::optional<double> gpu_utilisation;  // GPU-seconds of work / (GPUs × makespan); empty: no GPUs
  std::optional<double> gpu_allocation;   // allocated GPUs: mean over time, as a part of all GPUs
  // free GPUs that jobs cannot use (FGD): mean over time, as a part of all GPUs
  std::optional<double> gpu_fragmentation;
  std::int64_t queue_max = 0;  // largest number of waiting jobs after a pass
  std::int64_t preemptions = 0;
  std::int64_t useless_kills = 0;
  double lost_gpu_hours = 0;
  double lost_cpu_hours = 0;
};

Summary summary_of(const Cluster& cluster, const Trace& trace, const Simulated& simulated);

}  // namespace cox::simulate
