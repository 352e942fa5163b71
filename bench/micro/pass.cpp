// A scheduling pass: nodes × waiting jobs. None of them can start in the second one.
#include <benchmark/benchmark.h>

#include "schedule/nodes.h"
#include "schedule/plan.h"

namespace cox::schedule {
namespace {

std::vector<WorldNode> nodes_of(std::int64_t count, std::int64_t cpus) {
  std::vector<WorldNode> nodes(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    nodes[i].name = "n" + std::to_string(i);
    nodes[i].total.cpus = cpus;
  }
  return nodes;
}

Queue waiting(std::int64_t count, std::int64_t shapes) {
  Queue queue;
  queue.pending.resize(static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < count; ++i) {
    PendingJob& job = queue.pending[static_cast<std::size_t>(i)];
    job.id = JobId{i + 1};
    job.memory_mb_per_node = i % shapes;
  }
  return queue;
}

void pass_that_starts_all(benchmark::State& state) {
  const Nodes nodes(nodes_of(state.range(0), 8));
  const Queue queue = waiting(state.range(1), 1);
  for (auto _ : state)
    benchmark::DoNotOptimize(make_plan(nodes, queue, Boot{}, Telling::nothing()));
  state.SetItemsProcessed(state.iterations() * state.range(1));
}
BENCHMARK(pass_that_starts_all)->Args({100, 100})->Args({10'000, 1'000});

void pass_that_starts_none(benchmark::State& state) {
  const Nodes nodes(nodes_of(state.range(0), 1));
  Queue queue = waiting(state.range(1), state.range(2));
  for (std::int64_t i = 0; i < state.range(0); ++i) {
    RunningJob& job = queue.running.emplace_back();
    job.id = JobId{1'000'000 + i};
    job.grants = {{"n" + std::to_string(i), 0, 1, 1, 0, {}}};
  }
  for (auto _ : state)
    benchmark::DoNotOptimize(make_plan(nodes, queue, Boot{}, Telling::nothing()));
}
BENCHMARK(pass_that_starts_none)->Args({100, 100, 1})->Args({10'000, 1'000, 1});
BENCHMARK(pass_that_starts_none)->Args({10'000, 1'000, 50});

}  // namespace
}  // namespace cox::schedule
