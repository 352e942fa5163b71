// Small traces for tests of the simulator: jobs that request CPUs on the single node of a cluster
// "procs=N". Times are in seconds.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "simulate/run/simulation.h"

namespace cox::simulate {

inline Milliseconds s(std::int64_t seconds) {
  return Milliseconds{seconds * 1'000};
}

inline TraceJob cpu_job(std::int64_t submit_s, std::int64_t run_s, std::int64_t cpus,
                        std::int64_t estimate_s = 0) {
  TraceJob job;
  job.name = "at" + std::to_string(submit_s);
  job.submit = s(submit_s);
  job.run = s(run_s);
  job.estimate = s(std::max(run_s, estimate_s));
  job.tasks = cpus;
  return job;
}

inline TraceJob with_tier(TraceJob job, std::int32_t tier) {
  job.tier = tier;
  return job;
}

inline TraceJob gpu_job(std::int64_t submit_s, std::int64_t run_s, std::int64_t gpus) {
  TraceJob job = cpu_job(submit_s, run_s, 1);
  job.gpus = gpus;
  return job;
}

// Simulates the jobs on the cluster. Ends the test program if the cluster, a job or the policy is
// refused.
inline Simulated simulate_on(const Cluster& cluster, std::vector<TraceJob> jobs,
                             const Policy& policy = {}, const PreemptionCost& cost = {}) {
  fit_to(cluster, jobs);
  const auto engine = Engine::open(cluster, jobs, policy);
  return simulate(cluster, jobs, *engine.value(), cost, [](std::size_t, std::size_t) {}).value();
}

inline Simulated simulate_on(const std::string& spec, const std::vector<TraceJob>& jobs,
                             const Policy& policy = {}, const PreemptionCost& cost = {}) {
  return simulate_on(parse_cluster(spec).value(), jobs, policy, cost);
}

inline std::vector<std::int64_t> starts_s(const Simulated& simulated) {
  std::vector<std::int64_t> starts;
  for (const JobRecord& record : simulated.jobs)
    starts.push_back(record.first_start ? record.first_start->count() / 1'000 : -1);
  return starts;
}

}  // namespace cox::simulate
