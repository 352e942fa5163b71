// The usage of accounts and users and the fair-share factors that follow from it: decayed usage and
// Fair Tree, as in the controller (controller/feed/fair_share.h). A running job counts at least one
// period. The factors are computed anew after one period, and after jobs have started or ended, but
// at most once a minute. Only a pass uses them, so nothing is computed between passes.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "simulate/trace/accounts.h"
#include "simulate/trace/trace.h"

namespace cox::simulate {

// Returns what one second of the job counts, by the default weights of the configuration.
double billing_of(const TraceJob& job);

// Computes the fair-share factors during a simulation. `owners`: the owner of each job. REQUIRES:
// all arguments outlive it.
class FairShares {
 public:
  FairShares(const Accounts& accounts, const std::vector<OwnerAt>& owners,
             const std::vector<TraceJob>& jobs, Milliseconds half_life);

  void started(JobAt job, Milliseconds now);
  void left(JobAt job, Milliseconds now);

  // Returns the fair-share factor of each owner if it is time to compute them anew; otherwise
  // empty. Only users have a factor; accounts have 0.
  std::optional<std::vector<double>> settle(Milliseconds now);

 private:
  struct Used {
    double seconds = 0;  // decayed usage, in unit-seconds, as of `at`
    Milliseconds at{};
  };
  std::vector<double> usage(Milliseconds now) const;

  const Accounts& accounts_;
  const std::vector<OwnerAt>& owners_;
  const std::vector<TraceJob>& jobs_;
  Milliseconds half_life_;
  std::vector<Used> used_;                   // by owner: usage of jobs that have left their nodes
  std::map<JobAt, Milliseconds> running_{};  // running jobs, with the start of each
  std::optional<Milliseconds> settled_;
  bool stale_ = true;
};

}  // namespace cox::simulate
