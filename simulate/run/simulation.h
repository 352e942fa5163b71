// Virtual time: the jobs of a trace arrive, run and end, and the engine decides. At one instant
// first everything that ends has ended, then whatever arrives has arrived, then there is one pass.
// A preempted job saves, leaves its nodes and waits again with the work that is left. Pure; the
// same input gives the same output.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "simulate/run/engine.h"
#include "simulate/run/fair_shares.h"
#include "simulate/trace/cluster.h"
#include "simulate/trace/trace.h"

namespace cox::simulate {

// What a preemption costs the victim; in neither time does it get on with its work.
struct PreemptionCost {
  Milliseconds save{0};     // from being asked to leaving its nodes
  Milliseconds restart{0};  // from starting again to going on
};

struct JobRecord {
  bool possible = true;  // else it was left out
  std::optional<Milliseconds> first_start;
  std::optional<Milliseconds> end;
  Milliseconds waited{0};  // all the time it had no nodes
  Milliseconds lost{0};    // on its nodes without getting on
  std::int32_t attempts = 0;
};

// A time that a job was in line, or on its nodes.
struct Stay {
  JobAt job = 0;
  bool on_nodes = false;
  Milliseconds from{};
  Milliseconds to{};
};

// After the pass of one instant.
struct Moment {
  Milliseconds at{};
  std::int64_t pending = 0;
  std::int64_t running = 0;
  std::int64_t cpu_milli_used = 0;
  std::int64_t gpu_milli_used = 0;
  double gpu_milli_fragmented = 0;
};

struct Simulated {
  std::vector<JobRecord> jobs;  // as in the trace
  std::vector<Moment> moments;
  std::vector<Stay> stays;  // by their ends
  std::int64_t preemptions = 0;
  // Those whose preemptor started on none of the nodes that were freed for it, or never.
  std::int64_t useless_kills = 0;
  double lost_gpu_ms = 0;
  double lost_cpu_ms = 0;
};

// Told after each pass: of how many jobs how many have ended.
using Progress = std::function<void(std::size_t ended, std::size_t jobs)>;

// A Refusal when the engine comes to no rest at one instant. `shares`: none where nobody is
// charged.
Result<Simulated> simulate(const Cluster& cluster, const std::vector<TraceJob>& jobs,
                           Engine& engine, const PreemptionCost& cost, const Progress& progress,
                           FairShares* shares = nullptr);

}  // namespace cox::simulate
