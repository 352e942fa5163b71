// Computes what each account is entitled to of what is in use at one instant. The amount is divided
// level by level by shares among the accounts that ask for some. No account gets more than it asks
// for; the rest goes to the others. Pure.
#pragma once

#include <cstdint>
#include <vector>

#include "simulate/trace/accounts.h"

namespace cox::simulate {

// What an owner and everything below it holds and asks for, in units of usage (CPUs, and GPUs ten
// times as much).
struct OwnerDemand {
  double held = 0;
  double total = 0;  // what it holds and what it asks for in addition
  std::int64_t jobs_waiting = 0;
};

// Returns what each owner is entitled to of what the root holds. An owner with fairshare=parent has
// one share at its parent.
std::vector<double> entitled_to(const std::vector<Owner>& owners,
                                const std::vector<OwnerDemand>& demand);

}  // namespace cox::simulate
