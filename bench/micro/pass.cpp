// Measures scheduling passes: over a large cluster with many queued jobs, and after the end of one
// job. Also measures the rate of placements. Nodes have 8 GPUs and 64 CPUs. The queued jobs are
// gangs of every size, without accounts or of 40 accounts that have quotas.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <ctime>
#include <random>

#include "schedule/top/scheduler.h"

namespace cox::schedule {
namespace {

constexpr std::uint64_t seed = 4711;

std::vector<SchedulerNode> nodes_of(std::int64_t count) {
  std::vector<SchedulerNode> nodes(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    nodes[i].name = "n" + std::to_string(i);
    nodes[i].total.cpus = 64;
    nodes[i].total.memory_mb = 1 << 20;
    for (std::int32_t gpu = 0; gpu < 8; ++gpu)
      nodes[i].total.gpus.push_back({gpu, i % 3 == 0 ? "h200" : "h100", ""});
  }
  return nodes;
}

struct Dice {
  std::mt19937_64 engine{seed};
  std::int64_t below(std::int64_t count) {
    return static_cast<std::int64_t>(engine() % static_cast<std::uint64_t>(count));
  }
};

// Returns a job of one of several hundred kinds: parts of a node, whole nodes, gangs of up to 64
// nodes.
PendingJob mixed_job(Dice& dice, std::int64_t id) {
  Request request;
  const std::int64_t size = dice.below(10);
  request.nodes = size < 6 ? 1 : std::int64_t{2} << dice.below(size < 9 ? 3 : 6);
  request.gpus_per_node = size < 6 ? std::int64_t{1} << dice.below(4) : 8;
  request.tasks = request.nodes * request.gpus_per_node;
  request.tasks_per_node = request.gpus_per_node;
  request.cpus_per_task = 1 + dice.below(7);
  if (dice.below(4) == 0) request.gpu_types = {"h200"};
  PendingJob job;
  job.id = JobId{id};
  job.priority = static_cast<double>(dice.below(1'000'000));
  job.time_limit = std::chrono::hours{1 + dice.below(3) * 8};
  job.request = std::move(request);
  return job;
}

// Returns a quota for each account. All accounts together deserve half of the cluster, and the jobs
// of each ask for more than it deserves.
std::vector<Quota> quotas_of(std::int64_t accounts, std::int64_t nodes) {
  const std::int64_t all = nodes * 8 * gpu_whole;
  std::vector<Quota> quotas(static_cast<std::size_t>(accounts + 1));
  for (std::size_t at = 0; at < quotas.size(); ++at) {
    quotas[at].limit = static_cast<std::int32_t>(at);
    quotas[at].what.what = Tres::GpuMilli;
    if (at == 0) continue;
    quotas[at].parent = 0;
    quotas[at].deserved = all / accounts / 2;
    quotas[at].shares = 1 + static_cast<std::int64_t>(at) % 3;
  }
  return quotas;
}

// Returns for each account the limits that its jobs count against: the root's and its own.
std::vector<Shared<Limits>> limits_of(std::int64_t accounts) {
  std::vector<Shared<Limits>> limits(1);
  const TresCount any{Tres::GpuMilli, "", "", limit_none};
  for (std::int32_t account = 1; account <= accounts; ++account)
    limits.emplace_back(Limits{{0, any}, {account, any}});
  return limits;
}

RunningJob running(const Start& start, const PendingJob& waited, Boot now, Dice& dice) {
  RunningJob job;
  job.id = start.job;
  job.limits = waited.limits;
  job.preemptable = true;
  job.grants = start.placement;
  job.ends_by = now + std::chrono::minutes{1 + dice.below(24 * 60)};
  return job;
}

// A cluster with queued jobs, which scheduling passes start on its nodes.
struct Busy {
  Scheduler scheduler;
  Engine& engine = scheduler.engine();
  Dice dice;
  std::map<JobId, PendingJob> waiting;
  std::vector<JobId> started;
  std::int64_t next_id = 1;
  std::int64_t accounts;  // 0: none
  std::vector<Shared<Limits>> limits;

  Busy(std::int64_t nodes, std::int64_t jobs, const Settings& settings, std::int64_t account_count)
      : scheduler(nodes_of(nodes), settings),
        accounts(account_count),
        limits(limits_of(account_count)) {
    if (accounts > 0) engine.set_quotas(quotas_of(accounts, nodes));
    while (next_id <= jobs) submit();
  }
  void submit() {
    PendingJob job = mixed_job(dice, next_id++);
    if (accounts > 0) job.account = 1 + dice.below(accounts);
    job.limits = limits[static_cast<std::size_t>(job.account)];
    engine.learn(*job.request);
    engine.put(job);
    waiting.emplace(job.id, job);
  }
  std::size_t pass() { return enact(scheduler.plan(Now{}, ExplainDepth::nothing())); }
  std::size_t enact(const Plan& plan) {
    for (const Start& start : plan.starts) {
      engine.remove(start.job);
      engine.put(running(start, waiting.at(start.job), Boot{}, dice));
      waiting.erase(start.job);
      started.push_back(start.job);
    }
    for (const Preemption& preemption : plan.preemptions) {
      engine.remove(preemption.victim);
      std::erase(started, preemption.victim);
      submit();
    }
    return plan.starts.size() + plan.preemptions.size();
  }
  // Runs scheduling passes until one changes nothing.
  void settle() {
    while (pass() > 0) {
    }
  }
  void end_one() {
    const auto at = static_cast<std::size_t>(dice.below(std::ssize(started)));
    engine.remove(started[at]);
    started[at] = started.back();
    started.pop_back();
  }
};

// Measures a pass that tries every queued job and places each that fits.
void full_pass(benchmark::State& state) {
  std::size_t starts = 0;
  for (auto _ : state) {
    state.PauseTiming();
    auto busy = std::make_unique<Busy>(state.range(0), state.range(0) * 10,
                                       Settings{.backfill = {state.range(1)}}, state.range(2));
    state.ResumeTiming();
    const Plan plan = busy->scheduler.plan(Now{}, ExplainDepth::nothing());
    starts += plan.starts.size();
    state.PauseTiming();
    busy.reset();
    state.ResumeTiming();
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(starts));
}
BENCHMARK(full_pass)
    ->Args({1'000, 1, 0})
    ->Args({10'000, 1, 0})
    ->Args({10'000, 4, 0})
    ->Args({10'000, 1, 40})
    ->Unit(benchmark::kMillisecond)
    ->Iterations(3);

double cpu_ms() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) / 1e6;
}

// Measures a full pass in parts, each enacted before the next is planned. Also counts the CPU time
// of the longest part.
void full_pass_in_parts(benchmark::State& state) {
  double longest_ms = 0;
  double parts = 0;
  for (auto _ : state) {
    auto busy = std::make_unique<Busy>(state.range(0), state.range(0) * 10,
                                       Settings{.backfill = {state.range(1)}}, state.range(3));
    double all_ms = 0;
    do {
      const double began = cpu_ms();
      const Plan plan = busy->scheduler.plan_part(Now{}, state.range(2));
      const double took = cpu_ms() - began;
      busy->enact(plan);
      longest_ms = std::max(longest_ms, took);
      all_ms += took;
      ++parts;
    } while (busy->scheduler.is_passing());
    state.SetIterationTime(all_ms / 1e3);
  }
  state.counters["longest_ms"] = longest_ms;
  state.counters["parts"] = parts / static_cast<double>(state.iterations());
}
BENCHMARK(full_pass_in_parts)
    ->Args({10'000, 1, 250'000, 0})
    ->Args({10'000, 1, 100'000, 0})
    ->Args({10'000, 4, 100'000, 0})
    ->Args({10'000, 1, 250'000, 40})
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond)
    ->Iterations(3);

// Measures a pass over a full cluster after a job has ended and another one was submitted.
void pass_after_one_end(benchmark::State& state) {
  Busy busy(state.range(0), state.range(0) * 10, {.backfill = {state.range(1)}}, state.range(2));
  busy.settle();
  for (auto _ : state) {
    busy.end_one();
    busy.submit();
    busy.pass();
  }
}
BENCHMARK(pass_after_one_end)
    ->Args({1'000, 1, 0})
    ->Args({10'000, 1, 0})
    ->Args({10'000, 4, 0})
    ->Args({10'000, 1, 40})
    ->Unit(benchmark::kMillisecond);

// Measures a pass that explains why the first 100 queued jobs wait. If range(1) is set, it also
// explains a job far back in full.
void pass_that_explains(benchmark::State& state) {
  Busy busy(state.range(0), state.range(0) * 10, {.backfill = {1}}, state.range(2));
  busy.settle();
  std::optional<JobId> far_back;
  if (state.range(1) != 0) far_back = busy.waiting.rbegin()->first;
  for (auto _ : state)
    benchmark::DoNotOptimize(busy.scheduler.plan(Now{}, ExplainDepth::first(100, far_back)));
}
BENCHMARK(pass_that_explains)
    ->Args({1'000, 0, 0})
    ->Args({10'000, 0, 0})
    ->Args({10'000, 1, 0})
    ->Args({10'000, 0, 40})
    ->Unit(benchmark::kMillisecond);

// Measures placements of jobs with one GPU each, until the cluster is full.
void single_node_placements(benchmark::State& state) {
  std::size_t starts = 0;
  for (auto _ : state) {
    state.PauseTiming();
    Scheduler scheduler(nodes_of(10'000));
    Engine& engine = scheduler.engine();
    for (std::int64_t id = 1; id <= 80'000; ++id) {
      Request request;
      request.gpus_per_node = 1;
      request.cpus_per_task = 4 + id % 4;
      PendingJob job;
      job.id = JobId{id};
      job.request = std::move(request);
      engine.put(job);
    }
    state.ResumeTiming();
    starts += scheduler.plan(Now{}, ExplainDepth::nothing()).starts.size();
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(starts));
}
BENCHMARK(single_node_placements)->Unit(benchmark::kMillisecond)->Iterations(3);

// Measures a pass with a gang of a higher tier that needs a quarter of the nodes. Each GPU is held
// by a job of the lowest tier. On range(1) of each 100 nodes these jobs can be preempted.
void pass_of_one_that_preempts(benchmark::State& state) {
  const std::int64_t nodes = state.range(0);
  Scheduler scheduler(nodes_of(nodes));
  Engine& engine = scheduler.engine();
  Dice dice;
  for (std::int64_t id = 0; id < nodes * 8; ++id) {
    RunningJob job;
    job.id = JobId{id + 1};
    job.tier = 1;
    NodeGrant grant;
    grant.node = "n" + std::to_string(id / 8);
    grant.cpus = grant.ranks = 8;
    grant.gpus = {static_cast<std::int32_t>(id % 8)};
    job.grants = {grant};
    job.preemptable = id / 8 % 100 < state.range(1);
    job.loss_per_second_units = 1;
    job.unsaved_since = Boot{} - std::chrono::seconds{dice.below(3'600)};
    engine.put(job);
  }
  PendingJob gang;
  gang.id = JobId{nodes * 8 + 1};
  gang.tier = 2;
  Request request;
  request.nodes = nodes / 4;
  request.tasks = request.nodes * 8;
  request.tasks_per_node = request.gpus_per_node = 8;
  gang.request = std::move(request);
  engine.put(gang);
  std::size_t victims = 0;
  for (auto _ : state) victims += scheduler.plan(Now{}, ExplainDepth::nothing()).preemptions.size();
  state.counters["victims"] =
      benchmark::Counter(static_cast<double>(victims), benchmark::Counter::kAvgIterations);
}
BENCHMARK(pass_of_one_that_preempts)
    ->Args({1'000, 100})
    ->Args({10'000, 100})
    ->Args({10'000, 25})
    ->Args({10'000, 20})
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace cox::schedule
