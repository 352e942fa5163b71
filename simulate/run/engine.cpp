#include "simulate/run/engine.h"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>

#include "common/base/check.h"
#include "common/base/text.h"
#include "common/syntax/min_cpus.h"
#include "schedule/explain/why_never_fits.h"
#include "schedule/model/request_pool.h"
#include "schedule/pass/preempt.h"
#include "schedule/place/alternatives.h"
#include "schedule/queue/order.h"
#include "schedule/top/scheduler.h"
#include "simulate/run/weights.h"
#include "simulate/trace/quotas.h"

namespace cox::simulate {
namespace {

using schedule::PendingJob;
using schedule::RunningJob;

Boot boot_of(Milliseconds at) {
  return Boot{at};
}

// Returns how many thousandths of a CPU are one CPU of the engine, which counts whole CPUs: 1,000,
// or 1 if the cluster or a job uses parts of CPUs.
std::int64_t cpu_unit(const Cluster& cluster, const std::vector<TraceJob>& jobs) {
  const auto whole = [](std::int64_t milli) { return milli % 1'000 == 0; };
  const bool all = std::ranges::all_of(cluster.nodes, whole, &ClusterNode::cpu_milli) &&
                   std::ranges::all_of(jobs, whole, &TraceJob::cpu_milli_per_task);
  return all ? 1'000 : 1;
}

std::vector<schedule::SchedulerNode> world_of(const Cluster& cluster, std::int64_t unit) {
  std::vector<schedule::SchedulerNode> nodes;
  nodes.reserve(cluster.nodes.size());
  for (const ClusterNode& each : cluster.nodes) {
    schedule::SchedulerNode node;
    node.name = each.name;
    node.total.cpus = each.cpu_milli / unit;
    node.total.memory_mb = each.memory_mb;
    for (std::size_t i = 0; i < each.gpus.size(); ++i)
      node.total.gpus.push_back({static_cast<std::int32_t>(i), each.gpus[i], "",
                                 each.islands.empty() ? gpu_island_unknown : each.islands[i]});
    node.features = each.features;
    node.domains = each.domains;
    nodes.push_back(std::move(node));
  }
  return nodes;
}

template <class Chosen>
Result<Chosen> policy_named(const PolicyNames<Chosen>& names, const std::string& what,
                            const std::string& word) {
  if (const auto policy = policy_from(names, word)) return *policy;
  std::string known;
  for (const auto& [name, policy] : names) known += (known.empty() ? "" : ", ") + std::string(name);
  return Refusal{"unknown " + what + " " + quoted(word), "there are " + known};
}

struct Settings {
  SchedulingSettings scheduling;
  schedule::LifetimeWeights lifetimes;
};

Result<Settings> settings_from(const Policy& policy) {
  const auto order = policy_named(order_policies(), "order", policy.order);
  if (!order) return order.refusal();
  const auto placement = policy_named(placement_policies(), "placement", policy.placement);
  if (!placement) return placement.refusal();
  const auto backfill = backfill_from(policy.backfill);
  if (!backfill)
    return Refusal{"unknown backfill " + quoted(policy.backfill),
                   "there are none, easy, conservative, and a number of reservations up to " +
                       std::to_string(reservations_max)};
  Settings settings;
  settings.scheduling.order = *order;
  settings.scheduling.placement = *placement;
  settings.scheduling.backfill = *backfill;
  if (const auto failure =
          set_weights(settings.scheduling.priority, settings.lifetimes, policy.weights))
    return *failure;
  return settings;
}

std::int64_t units_of(const Placement& placement) {
  std::int64_t cpus = 0;
  std::int64_t gpus = 0;
  for (const NodeGrant& grant : placement) {
    cpus += grant.cpus;
    gpus += std::ssize(grant.gpus);
  }
  return gpus > 0 ? gpus : cpus;
}

}  // namespace

class Engine::State {
 public:
  State(const Cluster& cluster, const std::vector<TraceJob>& jobs, const Settings& settings)
      : jobs_(jobs),
        unit_(cpu_unit(cluster, jobs)),
        settings_(settings.scheduling),
        scheduler_(world_of(cluster, unit_), settings.scheduling),
        running_(jobs.size()),
        ran_(jobs.size()),
        has_reported_(jobs.size()),
        preempted_at_(jobs.size()) {
    engine_.set_weights(settings.lifetimes);
    for (const ClusterNode& node : cluster.nodes)
      node_at_.emplace(node.name, static_cast<std::int32_t>(node_at_.size()));
    for (const ClusterPartition& partition : cluster.partitions)
      partitions_.emplace(partition.name, partition.nodes);
  }

  void set_accounts(const Accounts& accounts, std::vector<OwnerAt> owners);
  void set_fair_shares(std::vector<double> factors);
  bool possible(JobAt at);
  void submit(JobAt at, Milliseconds ran);
  void withdraw(JobAt at);
  Decisions plan(Milliseconds now);
  std::optional<Milliseconds> next_preemptable(Milliseconds now) const;
  void gone(JobAt at);
  void ended(JobAt at, Milliseconds service);
  void report(JobAt at, Milliseconds done_by);

 private:
  // An exempt running job, and a time from which it may be preempted.
  using Yields = std::pair<Boot, JobAt>;
  std::vector<Yields> yields(const RunningJob& running) const;
  void note_spared(const RunningJob& running);
  void forget_spared(const RunningJob& running);
  void note_gave_way(const schedule::Preemption& preemption, Milliseconds now);
  void stop(const schedule::Preemption& preemption, Milliseconds now);
  void start(const schedule::Start& start, Milliseconds now);
  Shared<schedule::Request> make_request(JobAt at);
  PendingJob pending_of(JobAt at);
  RunningJob running_of(const schedule::Start& start, Milliseconds now);
  Holdings holdings_of(const Placement& placement) const;
  Milliseconds& ran(JobAt job) { return ran_[static_cast<std::size_t>(job)]; }
  std::size_t owner(JobAt job) const {
    return static_cast<std::size_t>(owners_[static_cast<std::size_t>(job)]);
  }

  const std::vector<TraceJob>& jobs_;
  std::int64_t unit_;
  SchedulingSettings settings_;
  schedule::Scheduler scheduler_;
  schedule::Engine& engine_ = scheduler_.engine();
  schedule::RequestPool requests_;
  std::unordered_map<std::string, std::int32_t> node_at_;
  std::unordered_map<std::string, std::vector<std::string>> partitions_;
  std::vector<RunningJob> running_;              // by job; valid while the job runs or stops
  std::vector<Milliseconds> ran_;                // by job: work done in earlier attempts
  std::vector<bool> has_reported_;               // by job: its progress
  std::vector<std::vector<Boot>> preempted_at_;  // by job: preemptions that may still count
  std::set<Yields> preemptable_from_;
  std::set<JobAt> queued_;
  std::vector<OwnerAt> owners_;                   // by job: its owner; empty: no accounts
  std::vector<Shared<schedule::Limits>> limits_;  // by owner
  // by owner: the account of a user; of an account, the account itself
  std::vector<OwnerAt> account_of_;
  std::vector<double> fair_shares_;  // by owner
};

void Engine::State::set_accounts(const Accounts& accounts, std::vector<OwnerAt> owners) {
  owners_ = std::move(owners);
  const std::vector<Owner>& all = accounts.all();
  for (std::size_t at = 0; at < all.size(); ++at)
    account_of_.push_back(all[at].is_user ? all[at].parent : static_cast<OwnerAt>(at));
  Quotas quotas = quotas_of(accounts, 1'000 / unit_);
  for (schedule::Limits& limits : quotas.limits) limits_.emplace_back(std::move(limits));
  engine_.set_quotas(std::move(quotas.all));
}

// Gives the engine new priorities only for the queued jobs whose fair-share factor has changed.
void Engine::State::set_fair_shares(std::vector<double> factors) {
  const std::vector<double> before = std::exchange(fair_shares_, std::move(factors));
  for (const JobAt at : queued_) {
    const std::size_t of = owner(at);
    if (!before.empty() && before[of] == fair_shares_[of]) continue;
    engine_.put(pending_of(at));
  }
}

Shared<schedule::Request> Engine::State::make_request(JobAt at) {
  const TraceJob& job = jobs_[static_cast<std::size_t>(at)];
  schedule::Request request;
  request.nodes = std::max<std::int64_t>(job.nodes, 1);
  request.tasks = std::max(job.tasks, request.nodes);
  request.cpus_per_task = job.cpu_milli_per_task / unit_;
  request.memory_mb_per_node = job.memory_mb_per_node;
  request.gpus_per_node = job.gpus;
  request.gpu_milli = static_cast<std::int32_t>(job.gpu_milli);
  request.gpu_types = job.gpu_types;
  request.min_cpus = job.min_cpus * 1'000 / unit_;
  request.cpus_per_task =
      cpus_per_task_with(request.min_cpus, request.cpus_per_task, request.tasks, request.nodes);
  request.contiguous = job.contiguous;
  request.constraint = job.constraint;
  if (const auto found = partitions_.find(job.partition); found != partitions_.end())
    request.partition_nodes = found->second;
  if (job.prefer.empty()) return requests_.shared(Shared<schedule::Request>(std::move(request)));
  schedule::Request preferred = request;
  preferred.constraint = job.prefer;
  return requests_.shared(schedule::chained({std::move(preferred), std::move(request)}));
}

PendingJob Engine::State::pending_of(JobAt at) {
  const TraceJob& job = jobs_[static_cast<std::size_t>(at)];
  PendingJob pending;
  pending.id = JobId{at};
  pending.tier = job.tier;
  pending.ran = ran(at);
  pending.eligible = Wall{job.submit};
  pending.request = make_request(at);
  if (job.estimate) pending.time_limit = *job.estimate - ran(at);
  if (has_reported_[static_cast<std::size_t>(at)]) pending.work_left = job.run - ran(at);
  schedule::PriorityInputs inputs;
  inputs.eligible = pending.eligible;
  inputs.work_left = pending.work_left;
  inputs.time_limit = pending.time_limit;
  inputs.ran = ran(at);
  if (!fair_shares_.empty()) inputs.fair_share = fair_shares_[owner(at)];
  if (!owners_.empty()) {
    pending.limits = limits_[owner(at)];
    pending.account = account_of_[owner(at)];
  }
  inputs.cpus = pending.request->tasks * pending.request->cpus_per_task;
  inputs.gpus = pending.request->nodes * pending.request->gpus_per_node;
  pending.priority = schedule::priority_of(settings_, inputs);
  pending.fair_share = schedule::fair_share_of(settings_, inputs);
  return pending;
}

bool Engine::State::possible(JobAt at) {
  const std::string& partition = jobs_[static_cast<std::size_t>(at)].partition;
  const bool nowhere_to_go =
      !partitions_.empty() && !partition.empty() && !partitions_.contains(partition);
  return !nowhere_to_go && !schedule::impossible(engine_.nodes(), *make_request(at));
}

void Engine::State::submit(JobAt at, Milliseconds ran_before) {
  ran(at) = ran_before;
  PendingJob pending = pending_of(at);
  if (ran_before == Milliseconds{0}) engine_.learn(*pending.request);
  engine_.put(std::move(pending));
  queued_.insert(at);
}

void Engine::State::withdraw(JobAt at) {
  engine_.remove(JobId{at});
  queued_.erase(at);
}

void Engine::State::gone(JobAt at) {
  forget_spared(running_[static_cast<std::size_t>(at)]);
  engine_.remove(JobId{at});
  running_[static_cast<std::size_t>(at)] = {};
  running_[static_cast<std::size_t>(at)].id = JobId{-1};
}

void Engine::State::ended(JobAt at, Milliseconds service) {
  const auto units =
      static_cast<std::int64_t>(running_[static_cast<std::size_t>(at)].loss_per_second_units);
  engine_.learn_ended(JobId{at}, units, service);
  gone(at);
}

void Engine::State::report(JobAt at, Milliseconds done_by) {
  RunningJob& running = running_[static_cast<std::size_t>(at)];
  running.done_by = boot_of(done_by);
  has_reported_[static_cast<std::size_t>(at)] = true;
  engine_.put(running);
}

// Returns the job that `start` starts. A simulated job saves only when asked to, so all of its work
// since the start is unsaved.
RunningJob Engine::State::running_of(const schedule::Start& start, Milliseconds now) {
  const auto at = static_cast<JobAt>(start.job.value);
  const PendingJob pending = engine_.pending(start.job);
  RunningJob running;
  running.id = start.job;
  running.tier = pending.tier;
  running.began = boot_of(now);
  running.ran_before = ran(at);
  running.grants = start.placement;
  running.preemptable = true;
  running.movable = true;
  running.preempted = preempted_at_[static_cast<std::size_t>(at)];
  running.request = pending.request;
  running.limits = pending.limits;
  running.unsaved_since = boot_of(now);
  if (pending.time_limit) running.ends_by = boot_of(now) + *pending.time_limit;
  running.loss_per_second_units = static_cast<double>(units_of(start.placement));
  return running;
}

Holdings Engine::State::holdings_of(const Placement& placement) const {
  Holdings holdings;
  holdings.reserve(placement.size());
  for (const NodeGrant& grant : placement)
    holdings.push_back({node_at_.at(grant.node), grant.cpus * unit_, grant.memory_mb, grant.gpus,
                        grant.gpu_milli});
  return holdings;
}

// Records a preemption for the victim's preemption budget. A job that only moves, on no fewer
// nodes, does not count as preempted.
void Engine::State::note_gave_way(const schedule::Preemption& preemption, Milliseconds now) {
  const auto at = static_cast<std::size_t>(preemption.victim.value);
  if (preemption.continues_on_nodes &&
      std::cmp_greater_equal(*preemption.continues_on_nodes, running_[at].grants.size()))
    return;
  preempted_at_[at].push_back(boot_of(now));
  if (std::ssize(preempted_at_[at]) > settings_.preempt_budget)
    preempted_at_[at].erase(preempted_at_[at].begin());
}

void Engine::State::stop(const schedule::Preemption& preemption, Milliseconds now) {
  const auto at = static_cast<std::size_t>(preemption.victim.value);
  RunningJob& running = running_[at];
  note_gave_way(preemption, now);
  running.stopping = true;
  running.preemptable = false;
  running.movable = false;
  engine_.put(running);
}

void Engine::State::start(const schedule::Start& start, Milliseconds now) {
  const auto job = static_cast<JobAt>(start.job.value);
  RunningJob running = running_of(start, now);
  const PendingJob pending = engine_.pending(start.job);
  if (pending.ran == Milliseconds{0})
    engine_.learn_wait({pending.partition_tier, pending.tier}, Wall{now},
                       Wall{now} - pending.eligible);
  withdraw(job);
  engine_.put(running);
  note_spared(running);
  running_[static_cast<std::size_t>(job)] = std::move(running);
}

// Returns the times from which jobs of higher tiers, and jobs of its own tier, may preempt this
// job.
std::vector<Engine::State::Yields> Engine::State::yields(const RunningJob& running) const {
  const auto job = static_cast<JobAt>(running.id.value);
  std::vector<Yields> moments;
  const auto exempt = schedule::exempt_until(settings_, running);
  if (exempt > running.began) moments.emplace_back(exempt, job);
  if (const auto back = schedule::budget_spent_until(settings_, running, running.began))
    moments.emplace_back(*back, job);
  return moments;
}

void Engine::State::note_spared(const RunningJob& running) {
  for (const Yields& when : yields(running)) preemptable_from_.insert(when);
}

void Engine::State::forget_spared(const RunningJob& running) {
  for (const Yields& when : yields(running)) preemptable_from_.erase(when);
}

std::optional<Milliseconds> Engine::State::next_preemptable(Milliseconds now) const {
  const auto next =
      preemptable_from_.upper_bound({boot_of(now), std::numeric_limits<JobAt>::max()});
  if (next == preemptable_from_.end()) return std::nullopt;
  return next->first - Boot{};
}

Decisions Engine::State::plan(Milliseconds now) {
  Decisions decisions;
  const schedule::Plan plan =
      scheduler_.plan({boot_of(now), Wall{now}}, schedule::ExplainDepth::nothing());
  CHECK(plan.resumes.empty());  // a trace has no QOS that suspends jobs
  for (const schedule::Preemption& preemption : plan.preemptions) {
    stop(preemption, now);
    decisions.preemptions.push_back({static_cast<JobAt>(preemption.victim.value),
                                     static_cast<JobAt>(preemption.preemptor.value)});
  }
  for (const schedule::Claimed& claim : plan.claims) engine_.claim(claim.job, claim.placement);
  for (const schedule::Start& each : plan.starts) {
    start(each, now);
    decisions.starts.push_back({static_cast<JobAt>(each.job.value), holdings_of(each.placement)});
  }
  return decisions;
}

Engine::Engine(std::unique_ptr<State> state) : state_(std::move(state)) {}
Engine::~Engine() = default;

Result<std::unique_ptr<Engine>> Engine::open(const Cluster& cluster,
                                             const std::vector<TraceJob>& jobs,
                                             const Policy& policy) {
  const auto settings = settings_from(policy);
  if (!settings) return settings.refusal();
  return std::unique_ptr<Engine>(new Engine(std::make_unique<State>(cluster, jobs, *settings)));
}

void Engine::set_accounts(const Accounts& accounts, std::vector<OwnerAt> owners) {
  state_->set_accounts(accounts, std::move(owners));
}
void Engine::set_fair_shares(std::vector<double> factors) {
  state_->set_fair_shares(std::move(factors));
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
std::optional<Milliseconds> Engine::next_preemptable(Milliseconds now) const {
  return state_->next_preemptable(now);
}
void Engine::ended(JobAt job, Milliseconds service) {
  state_->ended(job, service);
}
void Engine::gone(JobAt job) {
  state_->gone(job);
}
void Engine::report(JobAt job, Milliseconds done_by) {
  state_->report(job, done_by);
}

}  // namespace cox::simulate
