// The scheduling engine of schedule/ in terms of a trace: jobs are positions in the trace, nodes
// are positions in the simulated cluster. It hides the Scheduler from the rest of the simulator.
// open() refuses unknown policies. REQUIRES: the jobs and the cluster outlive it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "common/cluster/scheduling_settings.h"
#include "simulate/trace/accounts.h"
#include "simulate/trace/cluster.h"
#include "simulate/trace/trace.h"

namespace cox::simulate {

// Policies by the names that the configuration uses.
struct Policy {
  std::string order{name(order_policies(), SchedulingSettings{}.order)};
  std::string backfill = "easy";
  std::string placement{name(placement_policies(), SchedulingSettings{}.placement)};
  std::string weights = "";  // as set_weights() parses them (weights.h)
};

// What a job holds of one node.
struct Holding {
  std::int32_t node = 0;
  std::int64_t cpu_milli = 0;
  std::int64_t memory_mb = 0;
  std::vector<std::int32_t> gpus;  // indices of its GPUs on the node
  std::int64_t gpu_milli = 1'000;  // of each GPU
};
using Holdings = std::vector<Holding>;

struct Decisions {
  struct Start {
    JobAt job = 0;
    Holdings holdings;
  };
  struct Preemption {
    JobAt victim = 0;
    JobAt preemptor = 0;
  };
  std::vector<Start> starts;
  std::vector<Preemption> preemptions;
};

class Engine {
 public:
  static Result<std::unique_ptr<Engine>> open(const Cluster& cluster,
                                              const std::vector<TraceJob>& jobs,
                                              const Policy& policy);
  ~Engine();

  // Sets the limits and quotas of accounts, and the owner of each job. To be called before the
  // first job is submitted.
  void set_accounts(const Accounts& accounts, std::vector<OwnerAt> owners);
  // Sets the fair-share factor of each owner, and orders the queue by the new priorities.
  void set_fair_shares(std::vector<double> factors);

  // Returns whether the job could start in the idle cluster.
  bool possible(JobAt job) const;

  // Queues the job. `ran`: how much of its work it did in earlier attempts.
  void submit(JobAt job, Milliseconds ran);
  // Removes a queued job that was not started.
  void withdraw(JobAt job);
  // Makes one pass. Jobs that it starts run from now on; victims are stopping until gone().
  Decisions plan(Milliseconds now);
  // Returns the next time at which a running job stops being exempt from preemption, so that a pass
  // is due. A real controller makes a pass every 30 s, so it preempts at about that time, too.
  std::optional<Milliseconds> next_preemptable(Milliseconds now) const;
  // Records that a running or stopping job has left its nodes: gone() if it will be queued again,
  // ended() if it has ended after this service.
  void gone(JobAt job);
  void ended(JobAt job, Milliseconds service);
  // Records that by the progress that the running job reports it will have ended at this time.
  void report(JobAt job, Milliseconds done_by);

 private:
  class State;
  explicit Engine(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace cox::simulate
