// Who has had how much, and so who is next: usage that decays and Fair Tree over the accounts of a
// simulation, as the controller has them (controller/state/fair_share.h). What runs counts at least
// a period. Reckoned anew once a period, and when somebody has started or ended since, a minute
// after the last time at the earliest: only a pass looks, so between passes nothing is reckoned.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "simulate/trace/accounts.h"
#include "simulate/trace/trace.h"

namespace cox::simulate {

// What a second of it on its nodes counts, by the weights that the configuration has by default.
double billing_of(const TraceJob& job);

// `owners`: of each job. All must outlive it.
class FairShares {
 public:
  FairShares(const Accounts& accounts, const std::vector<OwnerAt>& owners,
             const std::vector<TraceJob>& jobs, Milliseconds half_life);

  void started(JobAt job, Milliseconds now);
  void left(JobAt job, Milliseconds now);

  // Of each owner its factor, if it is time; users alone have one.
  std::optional<std::vector<double>> settle(Milliseconds now);

 private:
  struct Used {
    double seconds = 0;  // as they were worth at:
    Milliseconds at{};
  };
  std::vector<double> usage(Milliseconds now) const;

  const Accounts& accounts_;
  const std::vector<OwnerAt>& owners_;
  const std::vector<TraceJob>& jobs_;
  Milliseconds half_life_;
  std::vector<Used> used_;                   // of each owner, by jobs that are over
  std::map<JobAt, Milliseconds> running_{};  // since when
  std::optional<Milliseconds> settled_;
  bool stale_ = true;
};

}  // namespace cox::simulate
