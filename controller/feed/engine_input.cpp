#include "controller/feed/engine_input.h"

#include <algorithm>
#include <cmath>

#include "common/job/job_ref.h"
#include "controller/feed/save_time.h"
#include "controller/job/magnetic.h"
#include "controller/state/node_health.h"
#include "schedule/queue/order.h"

namespace cox {
namespace {

// A job without a time limit starts in a reservation only if at least 60 s of the reservation are
// left.
constexpr Milliseconds in_reservation_min{60'000};

schedule::SchedulerNode world_node(const Cluster& cluster, const Node& node, Boot now) {
  schedule::SchedulerNode w;
  w.name = node.name;
  w.total = node.total;
  w.features = node.features;
  w.weight = node.weight;
  std::ranges::sort(w.features);
  const auto domains = cluster.config().domains.find(node.name);
  if (domains != cluster.config().domains.end()) w.domains = domains->second;
  const NodeContact& live = cluster.soft().contact(node.name);
  if (live.avoided) w.weight += avoided_weight;
  if (node.drained) {
    w.unavailable_why = (node.set_down ? "down: " : "drained: ") + node.reason;
  } else if (is_briefly_silent(node, live, now) && live.shares_checkpoints && !live.ends_foreign) {
    // A briefly silent node stays up here; scheduler_reservations() closes it for a short time.
    return w;
  } else if (!node.responding || live.session.empty()) {
    const bool returns = node.reason.starts_with(returning_begins);
    w.unavailable_why = returns ? "responds again, but not long enough yet" : "not responding";
  } else if (!live.shares_checkpoints) {
    w.unavailable_why = "does not see the checkpoint folder";
  } else if (live.ends_foreign) {
    w.unavailable_why = "is still ending an attempt that is over";
  }
  w.available = w.unavailable_why.empty();
  return w;
}

// Returns the PriorityTier of the first partition in the list, which is the highest of them.
std::int32_t partition_tier_of(const Partitions& partitions) {
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

// Returns the run time of all ended attempts of the job.
Milliseconds service_of(const JobEntry& e) {
  Milliseconds service{0};
  for (const Attempt& attempt : e.attempts)
    if (attempt.went != Wall{} && attempt.ended != Wall{})
      service += run_time(attempt, attempt.ended);
  return service;
}

// Returns the run time that a queued job still needs, by the newest of its attempts that reported a
// rate and a total. The job continues from its newest checkpoint, or begins anew.
std::optional<Milliseconds> work_left_of(const JobEntry& e) {
  const Checkpoint* saved = e.newest_checkpoint();
  for (auto a = e.attempts.rbegin(); a != e.attempts.rend(); ++a)
    if (const auto ms = run_time_from_ms(a->progress, saved == nullptr ? 0 : saved->step))
      return *ms > 0 ? std::optional(Milliseconds{*ms}) : std::nullopt;
  return std::nullopt;
}

bool has_saved(const JobEntry& e, const Attempt& attempt) {
  return std::ranges::any_of(
      e.checkpoints, [&](const Checkpoint& c) { return c.key == attempt.key && !c.damaged; });
}

// Returns when the job was preempted or suspended, the oldest first. Leaves out times that no
// longer count against its preempt_budget.
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

// Returns whether all nodes of the attempt respond. A silent node cannot receive a Stop or Suspend,
// so its room would not become free.
bool is_reachable(const Cluster& cluster, const Attempt& attempt) {
  return std::ranges::all_of(attempt.nodes, [&](const AttemptNode& n) {
    return n.phase == NodePhase::Gone || cluster.node(n.grant.node)->responding;
  });
}

void set_suspension(schedule::RunningJob& w, const Cluster& cluster, const JobEntry& e, Now now) {
  const Attempt& attempt = *e.live_attempt();
  w.suspended = attempt.suspension.suspended;
  w.suspends = w.suspended || cluster.accounting().qos_of(e).preempt_mode == PreemptMode::Suspend;
  w.is_suspended = is_suspended(attempt);
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
  const Qos& qos = cluster.accounting().qos_of(e);
  const bool is_running = e.job.state == JobState::Running;
  schedule::RunningJob w;
  w.id = e.job.id;
  w.tier = qos.tier;
  w.partition_tier = partition_tier_of(cluster.partitions().of(e));
  w.preempted = preempted_lately(e, cluster.config().scheduling, now);
  w.preempt_weight = qos.weight();
  if (qos.preempt_exempt_time_s) w.exempt_time = std::chrono::seconds{*qos.preempt_exempt_time_s};
  for (const auto& n : attempt.nodes)
    (holds_room(attempt, n) ? w.grants : w.given_back).push_back(n.grant);
  w.stopping = attempt.stop.why != StopWhy::None;
  set_suspension(w, cluster, e, now);
  // A job is not suspended while its last suspension or resumption is unconfirmed.
  const bool may_suspend = qos.preempt_mode != PreemptMode::Suspend ||
                           (is_running && has_carried_out_suspension(attempt));
  w.preemptable = qos.preempt_mode != PreemptMode::Off && !w.stopping && !w.suspended &&
                  may_suspend && is_reachable(cluster, attempt);
  w.requeued = e.job.spec->requeue && qos.preempt_mode != PreemptMode::Cancel;
  w.movable =
      w.preemptable && w.requeued && !w.suspends && qos.requests_save() && has_saved(e, attempt);
  w.request = cluster.requests().of_live(e);
  w.limits = cluster.accounting().limits_of(e);
  const Deadlines& deadlines = cluster.deadlines().of(e.job.id);
  if (!w.suspended) w.ends_by = latest_end(cluster, e);
  if (const auto ms = time_left_ms(attempt.progress, now.wall); ms && *ms > 0 && !w.suspended)
    w.done_by = now.boot + Milliseconds{*ms};
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

std::optional<FirstWait> first_wait_of(const Cluster& cluster, const JobEntry& e) {
  if (e.attempts.size() != 1 || e.job.eligible == Wall{} ||
      cluster.soft().waited_for_limit.contains(e.job.id))
    return std::nullopt;
  const auto qos = cluster.accounting().qos().find(e.job.spec->qos);
  if (qos == cluster.accounting().qos().end()) return std::nullopt;  // deleted since the job ended
  const Wall started = e.attempts.front().began;
  return FirstWait{{partition_tier_of(cluster.partitions().of(e)), qos->second.tier},
                   started,
                   started - e.job.eligible};
}

std::int64_t first_after_s(const Cluster& cluster, const JobEntry& e, Wall now) {
  const SchedulingSettings& settings = cluster.config().scheduling;
  if (!e.is_eligible() || !schedule::ends_starvation(settings.order)) return 0;
  const ParsedSpec& spec = *e.job.spec;
  const schedule::Standing standing{partition_tier_of(cluster.partitions().open_to(spec)),
                                    cluster.accounting().qos_of(spec).tier};
  const Milliseconds longest = cluster.soft().longest_waits.of(standing, now);
  return schedule::max_age_of(settings.priority, longest) / std::chrono::seconds{1};
}

namespace {

double part_of(std::int64_t part, std::int64_t whole) {
  return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0.0;
}

// Returns the partition factor of the priority, 0 to 1. A job with several partitions gets the
// highest factor of them.
double partition_factor(const ControllerConfig& config, const std::vector<std::string>& names) {
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
  for (const auto& [name, qos] : cluster.accounting().qos())
    most = std::max<std::int64_t>(most, qos.tier);
  return part_of(cluster.accounting().qos_of(spec).tier, most);
}

// Returns the length of the shortest free period that the job may fill before a reservation: it
// runs for fill_min, and then saves.
Milliseconds shortest_fill(const Cluster& cluster, const JobEntry& e) {
  return cluster.config().scheduling.fill_min + filler_lead(cluster, e);
}

}  // namespace

bool fills_holes(const Cluster& cluster, const JobEntry& e) {
  const JobSpec& spec = *e.job.spec;
  const Qos& qos = cluster.accounting().qos_of(e);
  if (cluster.config().scheduling.fill_min == Milliseconds{0} || !spec.requeue) return false;
  if (qos.preempt_mode != PreemptMode::Checkpoint || !qos.requests_save()) return false;
  return e.newest_checkpoint() != nullptr || spec.checkpoint_signal != 0 || spec.signal.number != 0;
}

namespace {

schedule::PriorityInputs standing_of(const Cluster& cluster, const JobEntry& e,
                                     const Association* own) {
  const ParsedSpec& spec = *e.job.spec;
  schedule::PriorityInputs standing;
  standing.eligible = e.job.eligible;
  if (spec.time_limit_s > 0) standing.time_limit = std::chrono::seconds{spec.time_limit_s};
  standing.ran = service_of(e);
  standing.work_left = work_left_of(e);
  standing.cpus = spec.tasks * spec.cpus_per_task;
  standing.gpus = spec.nodes * spec.gpus_per_node;
  for (const JobSize& one : spec.components) {
    standing.cpus += one.tasks * one.cpus_per_task;
    standing.gpus += one.nodes * one.gpus_per_node;
  }
  standing.nodes_part = part_of(nodes_of_all(spec), std::ssize(cluster.nodes().all()));
  standing.cpus_part = part_of(standing.cpus, cluster.nodes().capacity().cpus);
  standing.gpus_part = part_of(standing.gpus, cluster.nodes().capacity().gpus);
  standing.partition = partition_factor(cluster.config(), spec.terms->partitions);
  standing.qos = qos_factor(cluster, spec);
  standing.nice = spec.nice;
  if (own != nullptr) standing.fair_share = cluster.accounting().fair_share_of(own->id);
  return standing;
}

}  // namespace

std::vector<PriorityFactor> priority_factors(const Cluster& cluster, const JobEntry& e, Wall now) {
  std::vector<PriorityFactor> factors;
  for (const auto& [name, points] :
       factors_of(cluster.config().scheduling,
                  standing_of(cluster, e, cluster.accounting().accounts().of(*e.job.spec)), now))
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

schedule::PendingJob pending_job(const Cluster& cluster, const JobEntry& e) {
  const Job& job = e.job;
  const ParsedSpec& spec = *job.spec;
  schedule::PendingJob w;
  w.id = job.id;
  w.tier = cluster.accounting().qos_of(spec).tier;
  w.partition_tier = partition_tier_of(cluster.partitions().open_to(spec));
  w.eligible = job.eligible;
  w.request = job.avoid_nodes.empty()
                  ? cluster.requests().of_spec(job.spec)
                  : cluster.requests().by_gpu_type(
                        drawn_in(cluster.reservations().all(), cluster.accounting().accounts(),
                                 make_request(cluster.config(), spec, job.avoid_nodes,
                                              cluster.partitions().open_to(spec)),
                                 spec));
  const Milliseconds grace = grace_after_limit(cluster, spec);
  if (spec.time_limit_s > 0) w.time_limit = std::chrono::seconds{spec.time_limit_s} + grace;
  if (spec.time_min_s > 0) w.time_min = std::chrono::seconds{spec.time_min_s} + grace;
  // A job without a time limit runs until its reservation ends, so it needs a minimum that is left
  // of it.
  if (!spec.reservation.empty() && !w.time_limit && !w.time_min)
    w.time_min = in_reservation_min + grace;
  if (fills_holes(cluster, e)) w.fill_min = shortest_fill(cluster, e);
  const Association* own = cluster.accounting().accounts().of(spec);
  const schedule::PriorityInputs standing = standing_of(cluster, e, own);
  w.priority = priority_of(cluster.config().scheduling, standing);
  w.fair_share = fair_share_of(cluster.config().scheduling, standing);
  if (own != nullptr) w.account = cluster.accounting().accounts().account(own->account)->id.value;
  w.ran = standing.ran;
  w.work_left = standing.work_left;
  w.held = job.held;
  w.limits = cluster.accounting().limits_of(e);
  w.copies = task_count(job);
  return w;
}

schedule::LimitOf limits_named_by(const Cluster& cluster, Wall now) {
  return [&cluster, now](const schedule::Limit& limit) {
    schedule::LimitName name = cluster.accounting().limits_in_use().name_of(limit);
    for (const std::string& hours : cluster.accounting().limits_in_use().hours_of(limit)) {
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
                        : schedule::JobTitle{e->job.spec->user_name, command_id(e->job)};
  };
}

std::vector<schedule::SchedulerNode> scheduler_nodes(const Cluster& cluster, Boot now) {
  std::vector<schedule::SchedulerNode> nodes;
  for (const auto& [name, node] : cluster.nodes().all())
    nodes.push_back(world_node(cluster, node, now));
  return nodes;
}

Boot next_long_silence(const Cluster& cluster, Boot now) {
  Boot next = Boot::max();
  for (const auto& [name, node] : cluster.nodes().all())
    if (const NodeContact& live = cluster.soft().contact(name); is_briefly_silent(node, live, now))
      next = std::min(next, live.silent_since + reserved_through_silence);
  return next;
}

}  // namespace cox
