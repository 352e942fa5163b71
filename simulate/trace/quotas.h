// What accounts may have and are owed, as the engine takes it: a tree of quotas for each thing that
// any of them is owed, and the limits that the jobs of each owner count against. Pure.
#pragma once

#include <cstdint>
#include <vector>

#include "schedule/model/limit.h"
#include "simulate/trace/accounts.h"

namespace cox::simulate {

struct Quotas {
  std::vector<schedule::Quota> all;
  std::vector<schedule::Limits> limits;  // of each owner: of its account and of all above
};

// `cpus`: how many of the engine's CPUs one is.
Quotas quotas_of(const Accounts& accounts, std::int64_t cpus);

}  // namespace cox::simulate
