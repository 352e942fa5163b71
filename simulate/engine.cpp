#include "simulate/engine.h"

#include <algorithm>
#include <optional>
#include <tuple>
#include <unordered_map>

#include "common/check.h"
#include "common/text.h"
#include "schedule/nodes.h"
#include "schedule/plan.h"

namespace cox::simulate {
namespace {

using schedule::PendingJob;
using schedule::RunningJob;

constexpr JobAt nowhere = -1;

Boot boot_of(Milliseconds at) {
  return Boot{at};
}

// The engine counts whole CPUs. Where a trace counts thousandths, those are its CPUs.
std::int64_t cpu_unit(const Cluster& cluster, const std::vector<TraceJob>& jobs) {
  const auto whole = [](std::int64_t milli) { return milli % 1'000 == 0; };
  const bool all = std::ranges::all_of(cluster.nodes, whole, &ClusterNode::cpu_milli) &&
                   std::ranges::all_of(jobs, whole, &TraceJob::cpu_milli_per_task);
  return all ? 1'000 : 1;
}

std::vector<schedule::WorldNode> world_of(const Cluster& cluster, std::int64_t unit) {
  std::vector<schedule::WorldNode> nodes;
  nodes.reserve(cluster.nodes.size());
  for (const ClusterNode& each : cluster.nodes) {
    schedule::WorldNode node;
    node.name = each.name;
    node.total.cpus = each.cpu_milli / unit;
    node.total.memory_mb = each.memory_mb;
    for (const std::string& type : each.gpus)
      node.total.gpus.push_back({static_cast<std::int32_t>(node.total.gpus.size()), type, ""});
    node.features = each.features;
    nodes.push_back(std::move(node));
  }
  return nodes;
}

// In the order the engine judges.
auto place_in_line(const PendingJob& job) {
  return std::tuple(-job.tier, job.eligible, job.id);
}

Failure check_policy(const Policy& policy) {
  if (policy.order != "fcfs")
    return Refusal{quoted(policy.order) + " is not an order of the engine", "there is fcfs"};
  if (policy.backfill != "easy" && policy.backfill != "none")
    return Refusal{quoted(policy.backfill) + " is not a backfill of the engine",
                   "there are none and easy"};
  if (policy.placement != "best-fit")
    return Refusal{quoted(policy.placement) + " is not a placement of the engine",
                   "there is best-fit"};
  return std::nullopt;
}

Failure check_job(const TraceJob& job) {
  if (job.gpu_milli < 1'000)
    return Refusal{"job " + printable(job.name) + " asks for " + std::to_string(job.gpu_milli) +
                       "/1000 of a GPU, and the engine places whole GPUs",
                   "leave such jobs out of the trace"};
  if (job.gpu_types.size() > 1)
    return Refusal{"job " + printable(job.name) + " takes several types of GPU, and the engine " +
                       "places one",
                   "leave such jobs out of the trace"};
  return std::nullopt;
}

}  // namespace

class Engine::State {
 public:
  State(const Cluster& cluster, const std::vector<TraceJob>& jobs, bool backfills)
      : jobs_(jobs),
        unit_(cpu_unit(cluster, jobs)),
        backfills_(backfills),
        nodes_(world_of(cluster, unit_)),
        at_(jobs.size(), nowhere) {
    for (const ClusterNode& node : cluster.nodes)
      node_at_.emplace(node.name, static_cast<std::int32_t>(node_at_.size()));
    for (const ClusterPartition& partition : cluster.partitions)
      partitions_.emplace(partition.name, partition.nodes);
  }

  PendingJob pending_of(JobAt at, Milliseconds ran) const;
  bool possible(JobAt at) const;
  void submit(JobAt at, Milliseconds ran);
  void withdraw(JobAt at);
  Decisions plan(Milliseconds now);
  void gone(JobAt at);

 private:
  void age_running(Milliseconds now);
  void cut_behind_first_waiting(schedule::Plan& plan) const;
  RunningJob running_of(const schedule::Start& start, Milliseconds now) const;
  Holdings holdings_of(const Placement& placement) const;
  std::size_t at(JobAt job) const { return static_cast<std::size_t>(at_[std::size_t(job)]); }

  const std::vector<TraceJob>& jobs_;
  std::int64_t unit_;
  bool backfills_;
  schedule::Nodes nodes_;
  std::unordered_map<std::string, std::int32_t> node_at_;
  std::unordered_map<std::string, std::vector<std::string>> partitions_;
  schedule::Queue queue_;
  std::vector<Milliseconds> started_;  // of queue_.running
  std::vector<std::int32_t> at_;       // a job's place in queue_.pending or queue_.running
};

PendingJob Engine::State::pending_of(JobAt at, Milliseconds ran) const {
  const TraceJob& job = jobs_[static_cast<std::size_t>(at)];
  PendingJob pending;
  pending.id = JobId{at};
  pending.tier = job.tier;
  pending.eligible = boot_of(job.submit);
  pending.nodes = std::max<std::int64_t>(job.nodes, 1);
  pending.tasks = std::max(job.tasks, pending.nodes);
  pending.cpus_per_task = job.cpu_milli_per_task / unit_;
  pending.memory_mb_per_node = job.memory_mb_per_node;
  pending.gpus_per_node = job.gpus;
  if (!job.gpu_types.empty()) pending.gpu_type = job.gpu_types.front();
  pending.constraint = job.constraint;
  if (job.estimate) pending.time_limit = *job.estimate - ran;
  if (const auto found = partitions_.find(job.partition); found != partitions_.end())
    pending.partition_nodes = found->second;
  return pending;
}

bool Engine::State::possible(JobAt at) const {
  const std::string& partition = jobs_[static_cast<std::size_t>(at)].partition;
  const bool nowhere_to_go =
      !partitions_.empty() && !partition.empty() && !partitions_.contains(partition);
  return !nowhere_to_go && !schedule::impossible(nodes_, pending_of(at, {}));
}

void Engine::State::submit(JobAt at, Milliseconds ran) {
  CHECK(at_[std::size_t(at)] == nowhere);
  at_[std::size_t(at)] = static_cast<std::int32_t>(queue_.pending.size());
  queue_.pending.push_back(pending_of(at, ran));
}

void Engine::State::withdraw(JobAt job) {
  const std::size_t here = at(job);
  CHECK(here < queue_.pending.size() && queue_.pending[here].id == JobId{job});
  if (here + 1 < queue_.pending.size()) {
    queue_.pending[here] = std::move(queue_.pending.back());
    at_[std::size_t(queue_.pending[here].id.value)] = static_cast<std::int32_t>(here);
  }
  queue_.pending.pop_back();
  at_[std::size_t(job)] = nowhere;
}

void Engine::State::gone(JobAt job) {
  const std::size_t here = at(job);
  CHECK(here < queue_.running.size() && queue_.running[here].id == JobId{job});
  if (here + 1 < queue_.running.size()) {
    queue_.running[here] = std::move(queue_.running.back());
    started_[here] = started_.back();
    at_[std::size_t(queue_.running[here].id.value)] = static_cast<std::int32_t>(here);
  }
  queue_.running.pop_back();
  started_.pop_back();
  at_[std::size_t(job)] = nowhere;
}

// Nothing is saved until a job is asked to.
void Engine::State::age_running(Milliseconds now) {
  for (std::size_t i = 0; i < started_.size(); ++i) queue_.running[i].unsaved = now - started_[i];
}

// Without backfill nobody starts behind the first who waits.
void Engine::State::cut_behind_first_waiting(schedule::Plan& plan) const {
  std::vector<bool> starts(queue_.pending.size(), false);
  for (const auto& start : plan.starts) starts[at(JobAt(start.job.value))] = true;
  std::optional<std::size_t> first;
  for (std::size_t i = 0; i < starts.size(); ++i) {
    if (starts[i]) continue;
    if (!first || place_in_line(queue_.pending[i]) < place_in_line(queue_.pending[*first]))
      first = i;
  }
  if (!first) return;
  std::erase_if(plan.starts, [&](const schedule::Start& start) {
    return place_in_line(queue_.pending[*first]) <
           place_in_line(queue_.pending[at(JobAt(start.job.value))]);
  });
}

RunningJob Engine::State::running_of(const schedule::Start& start, Milliseconds now) const {
  const PendingJob& pending = queue_.pending[at(JobAt(start.job.value))];
  RunningJob running;
  running.id = start.job;
  running.tier = pending.tier;
  running.grants = start.placement;
  running.preemptable = true;
  if (pending.time_limit) running.ends_by = boot_of(now) + *pending.time_limit;
  double cpus = 0;
  double gpus = 0;
  for (const NodeGrant& grant : start.placement) {
    cpus += static_cast<double>(grant.cpus);
    gpus += static_cast<double>(grant.gpus.size());
  }
  running.loss_per_second_units = gpus > 0 ? gpus : cpus;
  return running;
}

Holdings Engine::State::holdings_of(const Placement& placement) const {
  Holdings holdings;
  holdings.reserve(placement.size());
  for (const NodeGrant& grant : placement)
    holdings.push_back(
        {node_at_.at(grant.node), grant.cpus * unit_, grant.memory_mb, grant.gpus, 1'000});
  return holdings;
}

Decisions Engine::State::plan(Milliseconds now) {
  Decisions decisions;
  if (queue_.pending.empty()) return decisions;
  age_running(now);
  schedule::Plan plan =
      schedule::make_plan(nodes_, queue_, boot_of(now), schedule::Telling::nothing());
  if (!backfills_) cut_behind_first_waiting(plan);
  for (const schedule::Preemption& preemption : plan.preemptions) {
    const auto victim = static_cast<JobAt>(preemption.victim.value);
    queue_.running[at(victim)].stopping = true;
    decisions.preemptions.push_back({victim, static_cast<JobAt>(preemption.preemptor.value)});
  }
  for (const schedule::Start& start : plan.starts) {
    const auto job = static_cast<JobAt>(start.job.value);
    RunningJob running = running_of(start, now);
    withdraw(job);
    at_[std::size_t(job)] = static_cast<std::int32_t>(queue_.running.size());
    queue_.running.push_back(std::move(running));
    started_.push_back(now);
    decisions.starts.push_back({job, holdings_of(start.placement)});
  }
  return decisions;
}

Engine::Engine(std::unique_ptr<State> state) : state_(std::move(state)) {}
Engine::~Engine() = default;

Result<std::unique_ptr<Engine>> Engine::open(const Cluster& cluster,
                                             const std::vector<TraceJob>& jobs,
                                             const Policy& policy) {
  if (const Failure failure = check_policy(policy)) return *failure;
  for (const TraceJob& job : jobs)
    if (const Failure failure = check_job(job)) return *failure;
  auto state = std::make_unique<State>(cluster, jobs, policy.backfill != "none");
  return std::unique_ptr<Engine>(new Engine(std::move(state)));
}

bool Engine::possible(JobAt job) const {
  return state_->possible(job);
}
void Engine::submit(JobAt job, Milliseconds ran) {
  state_->submit(job, ran);
}
void Engine::withdraw(JobAt job) {
  state_->withdraw(job);
}
Decisions Engine::plan(Milliseconds now) {
  return state_->plan(now);
}
void Engine::gone(JobAt job) {
  state_->gone(job);
}

}  // namespace cox::simulate
