// How fair a simulation was to its accounts. What counts is use, as usage counts it (CPUs, and GPUs
// ten times as much).
//
// At every instant what is in use is divided among those that ask, level by level of the tree: by
// shares, and to nobody more than it holds and waits for. That, over the time, is what an account
// was entitled to. What it had beside that is told of the second half of the time in which jobs
// were submitted: by then what was before is forgotten, and the rush has not ended. Pure.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "simulate/run/simulation.h"
#include "simulate/trace/accounts.h"
#include "simulate/trace/trace.h"

namespace cox::simulate {

inline constexpr std::size_t fairness_bins = 100;  // over all of the time

struct AccountFigures {
  std::string name;
  std::string parent;
  std::int64_t shares = 1;
  std::int64_t jobs = 0;
  // In the second half, of all use:
  double entitled_part = 0;
  double used_part = 0;
  double waiting_part = 0;  // of the time: somebody of it waited
  // In all:
  double gpu_hours = 0;
  double cpu_hours = 0;
  double worst_wait_s = 0;
  // The longest time in which a job of it waited that would have been within its guarantee.
  std::optional<double> short_of_guarantee_s;
  // Of each bin, of all use in it.
  std::vector<double> used_by_bin;
  std::vector<double> entitled_by_bin;

  // What it had too much, of what it was entitled to.
  double deviation() const { return entitled_part > 0 ? used_part / entitled_part - 1 : 0; }
  bool always_waited() const { return waiting_part > 0.95; }
};

struct Fairness {
  Milliseconds begin{};  // of all
  Milliseconds end{};
  Milliseconds from{};  // of what the parts are told of
  Milliseconds to{};
  std::vector<AccountFigures> accounts;  // those that have jobs, but for the root
  // Of accounts that always waited, and so had demand for all that is theirs: the most that one of
  // them had more or less. None: there is at most one of these.
  std::optional<double> deviation_max;
};

Fairness fairness_of(const Accounts& accounts, const std::vector<OwnerAt>& owners,
                     const std::vector<TraceJob>& jobs, const Simulated& simulated);

}  // namespace cox::simulate
