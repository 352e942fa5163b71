// Measures how fair a simulation was to its accounts, by usage (CPUs, and GPUs ten times as much).
//
// At every instant what is in use is divided among the accounts that ask, level by level: by
// shares, and at most what each holds and waits for. The sum over time is what an account was
// entitled to. It is compared with the usage in the second half of the time in which jobs were
// submitted. Earlier usage has decayed by then, and jobs are still arriving. Pure.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "simulate/run/simulation.h"
#include "simulate/trace/accounts.h"
#include "simulate/trace/trace.h"

namespace cox::simulate {

inline constexpr std::size_t fairness_bins = 100;  // parts of the whole time, of equal length

struct AccountFigures {
  std::string name;
  std::string parent;
  std::int64_t shares = 1;
  std::int64_t jobs = 0;
  // Parts (0 to 1) of all use from Fairness::from to Fairness::to:
  double entitled_part = 0;
  double used_part = 0;
  double waiting_part = 0;  // part of that time in which a job of the account waited
  // Over the whole simulation:
  double gpu_hours = 0;
  double cpu_hours = 0;
  double worst_wait_s = 0;
  // The longest time, in seconds, in which a job waited that would have been within the guarantee
  // of the account. Empty: the account has no guarantee.
  std::optional<double> short_of_guarantee_s;
  // By bin (fairness_bins): parts of all use in the bin.
  std::vector<double> used_by_bin;
  std::vector<double> entitled_by_bin;

  // Returns the excess of use over entitlement, as a part of the entitlement.
  double deviation() const { return entitled_part > 0 ? used_part / entitled_part - 1 : 0; }
  bool always_waited() const { return waiting_part > 0.95; }
};

struct Fairness {
  Milliseconds begin{};  // `begin` to `end`: the whole simulation
  Milliseconds end{};
  Milliseconds from{};  // `from` to `to`: the second half of the time of submissions
  Milliseconds to{};
  std::vector<AccountFigures> accounts;  // accounts with jobs, without the root
  // The largest deviation, up or down, of accounts that always waited, and so could have used more.
  // Empty if fewer than two accounts did.
  std::optional<double> deviation_max;
};

Fairness fairness_of(const Accounts& accounts, const std::vector<OwnerAt>& owners,
                     const std::vector<TraceJob>& jobs, const Simulated& simulated);

}  // namespace cox::simulate
