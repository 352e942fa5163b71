// Limits and quotas of accounts as the engine needs them: a tree of quotas for each resource that
// any account has a quota of, and the limits that the jobs of each owner count against. Pure.
#pragma once

#include <cstdint>
#include <vector>

#include "schedule/model/limit.h"
#include "simulate/trace/accounts.h"

namespace cox::simulate {

struct Quotas {
  std::vector<schedule::Quota> all;
  // by owner: the limits of its account and of all accounts above
  std::vector<schedule::Limits> limits;
};

// Returns the limits and quotas of the accounts. `cpus`: as how many CPUs the engine counts one
// CPU, 1 or 1,000 (thousandths).
Quotas quotas_of(const Accounts& accounts, std::int64_t cpus);

}  // namespace cox::simulate
