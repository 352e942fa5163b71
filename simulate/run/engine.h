// The scheduling engine in terms of a trace: jobs are positions in it, nodes positions in the
// simulated cluster. The one pair of files here that knows the scheduler; whatever it does not take
// is refused here, by open(). Jobs and cluster must outlive it.
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

// By the names that the configuration has for them.
struct Policy {
  std::string order{name(order_policies(), SchedulingSettings{}.order)};
  std::string backfill = "easy";
  std::string placement{name(placement_policies(), SchedulingSettings{}.placement)};
  std::string weights = "";  // "age=0,fair_share=10000"; those not named are the defaults
};

// What a job holds of one node.
struct Holding {
  std::int32_t node = 0;
  std::int64_t cpu_milli = 0;
  std::int64_t memory_mb = 0;
  std::vector<std::int32_t> gpus;  // which of the node's
  std::int64_t gpu_milli = 1'000;  // of each
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

  // Before the first job comes: what accounts may have and are owed, and of each job whom it is
  // charged to.
  void set_accounts(const Accounts& accounts, std::vector<OwnerAt> owners);
  // By owner: all who wait stand in line by it from now on.
  void set_fair_shares(std::vector<double> factors);

  // Whether it could start in the idle cluster.
  bool possible(JobAt job) const;

  // It waits from now on. `ran`: what it has done of its work in earlier attempts.
  void submit(JobAt job, Milliseconds ran);
  // It waits no longer, without having been started.
  void withdraw(JobAt job);
  // One pass. What it starts runs from now on; whom it preempts is stopping until it is gone.
  Decisions plan(Milliseconds now);
  // When the next of those that run may be asked to give way: it has done so as often as it must
  // for now. The controller, which passes every 30 s, sees it about then.
  std::optional<Milliseconds> next_to_yield(Milliseconds now) const;
  // A running or stopping job has left its nodes: to wait again, or because it has ended, after so
  // much service.
  void gone(JobAt job);
  void ended(JobAt job, Milliseconds service);

 private:
  class State;
  explicit Engine(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace cox::simulate
