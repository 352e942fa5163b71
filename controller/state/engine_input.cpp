#include "controller/state/engine_input.h"

#include <algorithm>
#include <cmath>

#include "common/job/job_ref.h"
#include "controller/state/node_health.h"
#include "controller/state/reservations.h"
#include "controller/state/save_time.h"
#include "schedule/queue/order.h"

namespace cox {
namespace {

schedule::SchedulerNode world_node(const Cluster& cluster, const Node& node, Boot now) {
  schedule::SchedulerNode w;
  w.name = node.name;
  w.total = node.total;
  w.features = node.features;
  w.weight = node.weight;
  std::ranges::sort(w.features);
  const auto domains = cluster.config().domains.find(node.name);
  if (domains != cluster.config().domains.end()) w.domains = domains->second;
  const NodeContact& live = cluster.contact(node.name);
  if (live.avoided) w.weight += avoided_weight;
  if (node.drained) {
    w.unavailable_why = (node.set_down ? "down: " : "drained: ") + node.reason;
  } else if (is_briefly_silent(node, live, now) && live.shares_checkpoints && !live.ends_foreign) {
    return w;  // closed for a time, as by a reservation: scheduler_reservations()
  } else if (!node.responding || live.session.empty()) {
    w.unavailable_why = "not responding";
  } else if (!live.shares_checkpoints) {
    w.unavailable_why = "does not see the checkpoint folder";
  } else if (live.ends_foreign) {
    w.unavailable_why = "still ends an attempt that is over";
  }
  w.available = w.unavailable_why.empty();
  return w;
}

// Of the first of them, which is the highest.
std::int32_t rank_of(const Partitions& partitions) {
  return partitions.empty() ? 0 : static_cast<std::int32_t>(partitions.front()->priority_tier);
}

std::optional<Boot> unsaved_since(const JobEntry& e, const Attempt& attempt, Now now) {
  if (attempt.went == Wall{}) return std::nullopt;
  Wall since = attempt.went;
  for (const auto& c : e.checkpoints)
    if (c.key == attempt.key && !c.damaged) since = std::max(since, c.committed);
  return now.boot - std::max(Milliseconds{0}, now.wall - since);
}

double units_of(const Attempt& attempt) {
  double gpus = 0;
  double cpus = 0;
  for (const auto& n : attempt.nodes) {
    gpus += static_cast<double>(n.grant.gpus.size());
    cpus += static_cast<double>(n.grant.cpus);
  }
  return gpus > 0 ? gpus : cpus;
}

// In the attempts that are over.
Milliseconds service_of(const JobEntry& e) {
  Milliseconds service{0};
  for (const Attempt& attempt : e.attempts)
    if (attempt.went != Wall{} && attempt.ended != Wall{})
      service += run_time(attempt, attempt.ended);
  return service;
}

bool has_saved(const JobEntry& e, const Attempt& attempt) {
  return std::ranges::any_of(
      e.checkpoints, [&](const Checkpoint& c) { return c.key == attempt.key && !c.damaged; });
}

// Oldest first, as far as they can count.
std::vector<Boot> preempted_lately(const JobEntry& e, const SchedulingSettings& settings, Now now) {
  std::vector<Boot> when;
  for (auto a = e.attempts.rbegin(); a != e.attempts.rend(); ++a) {
    if (std::ssize(when) == settings.preempt_budget) break;
    if (a->ended != Wall{} && now.wall - a->ended > settings.preempt_budget_window) break;
    const auto note = [&](Wall at) {
      if (std::ssize(when) < settings.preempt_budget)
        when.push_back(now.boot - std::max(Milliseconds{0}, now.wall - at));
    };
    if (a->stop.why == StopWhy::Preempt) note(a->stop_asked);
    for (auto at = a->suspended_at.rbegin(); at != a->suspended_at.rend(); ++at) note(*at);
  }
  std::ranges::reverse(when);
  return when;
}

// What cannot be told to stop does not provably make room.
bool is_reachable(const Cluster& cluster, const Attempt& attempt) {
  return std::ranges::all_of(attempt.nodes, [&](const AttemptNode& n) {
    return n.phase == NodePhase::Gone || cluster.node(n.grant.node)->responding;
  });
}

void tell_suspension(schedule::RunningJob& w, const Cluster& cluster, const JobEntry& e, Now now) {
  const Attempt& attempt = *e.live_attempt();
  w.suspended = attempt.suspension.suspended;
  w.suspends = w.suspended || cluster.qos_of(e).preempt_mode == PreemptMode::Suspend;
  w.stands_still = stands_still(attempt);
  w.resumable = w.suspended && !w.stopping && is_reachable(cluster, attempt);
  w.held = e.job.held;
  if (attempt.resumed != Wall{})
    w.resumed = now.boot - std::max(Milliseconds{0}, now.wall - attempt.resumed);
  if (w.suspended && e.time_limit_s() > 0)
    w.time_left = std::max(Milliseconds{0},
                           std::chrono::seconds{e.time_limit_s()} - run_time(attempt, now.wall)) +
                  (attempt.fills ? Milliseconds{0} : grace_after_limit(cluster, *e.job.spec));
}

}  // namespace

schedule::RunningJob running_job(const Cluster& cluster, const JobEntry& e, Now now) {
  const Attempt& attempt = *e.live_attempt();
  const Qos& qos = cluster.qos_of(e);
  const bool is_running = e.job.state == JobState::Running;
  schedule::RunningJob w;
  w.id = e.job.id;
  w.tier = qos.tier;
  w.rank = rank_of(cluster.partitions_of_job(e));
  w.preempted = preempted_lately(e, cluster.config().scheduling, now);
  w.preempt_weight = qos.weight();
  if (qos.preempt_exempt_time_s) w.exempt_time = std::chrono::seconds{*qos.preempt_exempt_time_s};
  for (const auto& n : attempt.nodes)
    (holds_room(attempt, n) ? w.grants : w.given_back).push_back(n.grant);
  w.stopping = attempt.stop.why != StopWhy::None;
  tell_suspension(w, cluster, e, now);
  // Who has not yet done the last of it is not asked for more.
  const bool may_suspend = qos.preempt_mode != PreemptMode::Suspend ||
                           (is_running && has_carried_out_suspension(attempt));
  w.preemptable = qos.preempt_mode != PreemptMode::Off && !w.stopping && !w.suspended &&
                  may_suspend && is_reachable(cluster, attempt);
  w.requeued = e.job.spec->requeue && qos.preempt_mode != PreemptMode::Cancel;
  w.movable =
      w.preemptable && w.requeued && !w.suspends && qos.asks_to_save() && has_saved(e, attempt);
  w.request = cluster.request_of_live(e);
  w.limits = cluster.limits_of(e);
  const Deadlines& deadlines = cluster.deadlines_of(e.job.id);
  if (!w.suspended) w.ends_by = latest_end(cluster, e);
  if (w.stopping)
    w.ends_by = deadlines.grace.value_or(now.boot) + Milliseconds{attempt.stop.kill_wait_ms};
  w.loss_per_second_units = units_of(attempt);
  w.unsaved_since = unsaved_since(e, attempt, now);
  w.ran_before = service_of(e);
  const Milliseconds stood{attempt.suspended_ms};
  Milliseconds since = now.wall - attempt.began;
  if (w.suspended) {
    const Milliseconds ran = attempt.suspended_at.back() - attempt.began - stood;
    w.ran_before += std::max(Milliseconds{0}, ran);
  } else {
    since -= stood;
  }
  w.began = now.boot - std::max(Milliseconds{0}, since);
  return w;
}

std::optional<Lifetime> lifetime_of(const JobEntry& e) {
  if (!is_final(e.job.state) || e.job.state == JobState::Cancelled) return std::nullopt;
  const Milliseconds service = service_of(e);
  if (service == Milliseconds{0}) return std::nullopt;
  return Lifetime{std::llround(units_of(e.attempts.back())), service};
}

namespace {

double part_of(std::int64_t part, std::int64_t whole) {
  return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0.0;
}

// Of the highest that it names.
double partition_factor(const ControllerConfig& config, const std::string& names) {
  std::int64_t most = 0;
  for (const PartitionConfig& partition : config.partitions)
    most = std::max(most, partition.priority);
  std::int64_t own = 0;
  for (const PartitionConfig* partition : partitions_of(config, names))
    own = std::max(own, partition->priority);
  return part_of(own, most);
}

double qos_factor(const Cluster& cluster, const JobSpec& spec) {
  std::int64_t most = 0;
  for (const auto& [name, qos] : cluster.qos()) most = std::max<std::int64_t>(most, qos.tier);
  return part_of(cluster.qos_of(spec).tier, most);
}

// It runs for fill_min before it is asked to save.
Milliseconds shortest_fill(const Cluster& cluster, const JobEntry& e) {
  return cluster.config().scheduling.fill_min + filler_lead(cluster, e);
}

}  // namespace

bool fills_holes(const Cluster& cluster, const JobEntry& e) {
  const JobSpec& spec = *e.job.spec;
  const Qos& qos = cluster.qos_of(e);
  if (cluster.config().scheduling.fill_min == Milliseconds{0} || !spec.requeue) return false;
  if (qos.preempt_mode != PreemptMode::Checkpoint || !qos.asks_to_save()) return false;
  return e.newest_checkpoint() != nullptr || spec.checkpoint_signal != 0 || spec.signal.number != 0;
}

Wall latest_start(const JobSpec& spec) {
  const std::int64_t least_s = spec.time_min_s > 0 ? spec.time_min_s : spec.time_limit_s;
  return spec.deadline - std::chrono::seconds{least_s};
}

namespace {

schedule::PriorityInputs standing_of(const Cluster& cluster, const JobEntry& e,
                                     const Association* own) {
  const JobSpec& spec = *e.job.spec;
  schedule::PriorityInputs standing;
  standing.eligible = e.job.eligible;
  if (spec.time_limit_s > 0) standing.time_limit = std::chrono::seconds{spec.time_limit_s};
  standing.ran = service_of(e);
  standing.cpus = spec.tasks * spec.cpus_per_task;
  standing.gpus = spec.nodes * spec.gpus_per_node;
  for (const JobSize& one : spec.components) {
    standing.cpus += one.tasks * one.cpus_per_task;
    standing.gpus += one.nodes * one.gpus_per_node;
  }
  standing.nodes_part = part_of(nodes_of_all(spec), std::ssize(cluster.nodes()));
  standing.cpus_part = part_of(standing.cpus, cluster.size().cpus);
  standing.gpus_part = part_of(standing.gpus, cluster.size().gpus);
  standing.partition = partition_factor(cluster.config(), spec.partition);
  standing.qos = qos_factor(cluster, spec);
  standing.nice = spec.nice;
  if (own != nullptr) standing.fair_share = cluster.fair_share_of(own->id);
  return standing;
}

}  // namespace

std::vector<PriorityFactor> priority_factors(const Cluster& cluster, const JobEntry& e, Wall now) {
  std::vector<PriorityFactor> factors;
  for (const auto& [name, points] :
       factors_of(cluster.config().scheduling,
                  standing_of(cluster, e, cluster.accounts().of(*e.job.spec)), now))
    factors.push_back({name, points});
  return factors;
}

std::vector<std::string> priority_parts(const Cluster& cluster, const JobEntry& e, Wall now) {
  std::vector<std::string> parts;
  for (const auto& [name, points] : priority_factors(cluster, e, now))
    if (const std::int64_t whole = std::llround(points); whole != 0)
      parts.push_back(name + " " + std::to_string(whole));
  return parts;
}

void prioritise(const Cluster& cluster, JobEntry& e) {
  const Association* own = cluster.accounts().at(e.association);
  const schedule::PriorityInputs standing = standing_of(cluster, e, own);
  e.account = {};
  if (own != nullptr) e.account = cluster.accounts().account(own->account)->id;
  e.priority = priority_of(cluster.config().scheduling, standing);
  e.fair_share = fair_share_of(cluster.config().scheduling, standing);
}

schedule::PendingJob pending_job(const Cluster& cluster, const JobEntry& e) {
  const Job& job = e.job;
  const JobSpec& spec = *job.spec;
  schedule::PendingJob w;
  w.id = job.id;
  w.tier = cluster.qos_of(spec).tier;
  w.rank = rank_of(cluster.open_partitions(spec));
  w.eligible = job.eligible;
  w.request =
      job.avoid_nodes.empty()
          ? cluster.request_of_spec(job.spec)
          : cluster.by_gpu_type(drawn_in(cluster,
                                         make_request(cluster.config(), spec, job.avoid_nodes,
                                                      cluster.open_partitions(spec)),
                                         spec));
  const Milliseconds grace = grace_after_limit(cluster, spec);
  if (spec.time_limit_s > 0) w.time_limit = std::chrono::seconds{spec.time_limit_s} + grace;
  if (spec.time_min_s > 0) w.time_min = std::chrono::seconds{spec.time_min_s} + grace;
  // Without a limit of its own it is over when its reservation is.
  if (!spec.reservation.empty() && !w.time_limit && !w.time_min)
    w.time_min = in_reservation_min + grace;
  if (e.fills) w.fill_min = shortest_fill(cluster, e);
  w.priority = e.priority;
  w.fair_share = e.fair_share;
  w.account = e.account.value;
  w.ran = service_of(e);
  w.held = job.held;
  w.limits = e.limits;
  w.copies = task_count(job);
  return w;
}

schedule::LimitOf limits_named_by(const Cluster& cluster, Wall now) {
  return [&cluster, now](const schedule::Limit& limit) {
    schedule::LimitName name = cluster.limits_in_use().name_of(limit);
    for (const std::string& hours : cluster.limits_in_use().hours_of(limit)) {
      const auto when = cluster.config().hours.find(hours);
      if (when == cluster.config().hours.end()) continue;
      const Wall turns = next_turn(when->second, now);
      if (!name.turns || turns < *name.turns) name.turns = turns;
    }
    return name;
  };
}

schedule::TitleOf titles_of(const Cluster& cluster) {
  return [&cluster](JobId id) {
    const JobEntry* e = cluster.job(id);
    return e == nullptr ? schedule::JobTitle{}
                        : schedule::JobTitle{e->job.spec->user_name, told_id(e->job)};
  };
}

std::vector<schedule::SchedulerNode> scheduler_nodes(const Cluster& cluster, Boot now) {
  std::vector<schedule::SchedulerNode> nodes;
  for (const auto& [name, node] : cluster.nodes()) nodes.push_back(world_node(cluster, node, now));
  return nodes;
}

Boot next_long_silence(const Cluster& cluster, Boot now) {
  Boot next = Boot::max();
  for (const auto& [name, node] : cluster.nodes())
    if (const NodeContact& live = cluster.contact(name); is_briefly_silent(node, live, now))
      next = std::min(next, live.silent_since + reserved_through_silence);
  return next;
}

}  // namespace cox
