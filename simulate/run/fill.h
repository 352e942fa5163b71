// How full a GPU cluster can be packed: the procedure of the FGD artifact (USENIX ATC'23). Jobs of
// a workload, some drawn again until they ask for 130 % of the cluster's GPUs, arrive in random
// order and never leave; whatever fits nowhere is dropped. What is measured is how much is
// allocated when k % has been asked for. Pure; the seed decides everything.
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

// The jobs that arrive, in their order.
// REQUIRES: some job asks for GPUs, and the cluster has some.
std::vector<TraceJob> inflate_and_shuffle(const std::vector<TraceJob>& workload,
                                          const Cluster& cluster, std::uint64_t seed);

struct Filled {
  std::int64_t arrived = 0;
  std::int64_t placed = 0;
  std::int64_t gpu_milli = 0;  // of the cluster
  // By k, the demand that has arrived in % of the cluster's GPUs: the mean of what is allocated,
  // and fragmented, in %, over the arrivals at which the demand rounds to k.
  std::array<double, demand_pct_max + 1> allocated_pct{};
  std::array<double, demand_pct_max + 1> fragmented_pct{};
};

// REQUIRES: `engine` was opened without backfill for these very `arrivals`.
Filled fill(const Cluster& cluster, const std::vector<TraceJob>& arrivals, Engine& engine,
            const Progress& progress);

}  // namespace cox::simulate
