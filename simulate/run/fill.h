// Measures how full a GPU cluster can be packed, by the procedure of the FGD artifact (USENIX
// ATC'23). Jobs of a workload arrive in random order and never leave. Random jobs are repeated or
// left out until all together ask for 130 % of the cluster's GPUs. A job that does not fit is
// dropped. The result is the allocation after demand of k % has arrived. Pure; the result depends
// only on the seed.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "simulate/run/engine.h"
#include "simulate/run/simulation.h"
#include "simulate/trace/cluster.h"
#include "simulate/trace/trace.h"

namespace cox::simulate {

inline constexpr std::size_t demand_pct_max = 130;

// Returns the arriving jobs in their order.
// REQUIRES: some job asks for GPUs, and the cluster has some.
std::vector<TraceJob> inflate_and_shuffle(const std::vector<TraceJob>& workload,
                                          const Cluster& cluster, std::uint64_t seed);

struct Filled {
  std::int64_t arrived = 0;
  std::int64_t placed = 0;
  std::int64_t gpu_milli = 0;  // of the cluster
  // By demand k that has arrived, in % of the cluster's GPUs: the mean of the allocated and of the
  // fragmented GPUs, in %, over the arrivals at which the demand rounds to k.
  std::array<double, demand_pct_max + 1> allocated_pct{};
  std::array<double, demand_pct_max + 1> fragmented_pct{};
};

// REQUIRES: `engine` was opened without backfill for the same `arrivals`.
Filled fill(const Cluster& cluster, const std::vector<TraceJob>& arrivals, Engine& engine,
            const Progress& progress);

}  // namespace cox::simulate
