// Measures a turn of the controller on a store in memory: what it adds to PostgreSQL's own time.
#include <benchmark/benchmark.h>

#include "controller/turn/controller.h"
#include "tests/support/memory_store.h"

namespace cox {
namespace {

SubmitJobs held_jobs(std::int64_t count) {
  SubmitJobs many;
  JobSpec spec;
  spec.command = {"true"};
  spec.work_dir = "/tmp";
  spec.hold = true;
  many.specs.assign(static_cast<std::size_t>(count), spec);
  return many;
}

void turn_that_accepts(benchmark::State& state) {
  ControllerConfig config;
  config.partitions.emplace_back();
  config.partitions.front().name = "main";
  config.partitions.front().is_default = true;
  MemoryStore store;
  Controller controller(config, store);
  Now now{boot_from_ms(1'000), wall_from_ms(1'000)};
  controller.start(now);
  controller.run(now);
  Caller caller;
  caller.kind = Caller::Kind::Client;
  caller.uid = config.owner_uid;
  const SubmitJobs many = held_jobs(state.range(0));
  for (auto _ : state) {
    controller.receive({"client", caller, Request{1, many}}, now);
    controller.run(now);
    benchmark::DoNotOptimize(controller.take<Outgoing>());
    benchmark::DoNotOptimize(controller.take<LogLine>());
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(turn_that_accepts)->Arg(1)->Arg(1'000)->Iterations(100);

}  // namespace
}  // namespace cox
