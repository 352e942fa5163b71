#include "tests/sim/preemption_judge.h"

#include <algorithm>

#include "common/job_ref.h"
#include "common/partition.h"

namespace cox::sim {
namespace {

// A job preempts its victims in the turn in which it comes, or in which they begin to run. Only the
// time counts in which the leader runs and has no turn in flight.
constexpr Milliseconds barred_max{5'000};
constexpr Milliseconds look_counts_most{1'000};
// A preemption that is almost out of the window may be out of it by another clock.
constexpr Milliseconds clocks_differ{60'000};

}  // namespace

// Where the time of day jumps, a job is not eligible by every clock. A pass whose turn the database
// refuses is not made again until something happens.
PreemptionJudge::PreemptionJudge(Scene& scene, const Books& books)
    : scene_(scene),
      books_(books),
      is_measured_(!scene.faults.in_use(Fault::WallClockJumps) &&
                   !scene.faults.in_use(Fault::RefusedTurn)) {}

void PreemptionJudge::leader_rests(const Cluster& cluster) {
  if (!is_measured_) return;
  const Milliseconds now = scene_.agenda.now();
  const Milliseconds passed = std::min(now - looked_, look_counts_most);
  looked_ = now;
  const Job* barred = barred_job(cluster);
  const JobId id = barred == nullptr ? JobId{} : barred->id;
  waited_ = id == waiting_ ? waited_ + passed : Milliseconds{0};
  waiting_ = id;
  if (barred != nullptr && waited_ > barred_max)
    scene_.story.violated(text_of(id) +
                          " waits for jobs of lower tiers whose preemption budget is spent");
}

const Job* PreemptionJudge::barred_job(const Cluster& cluster) const {
  for (const auto& [id, job] : books_.jobs) {
    if (job.state != JobState::Pending || !lacks_only_room(job) || !is_first_in_queue(job))
      continue;
    if (cluster.failover() != nullptr || !nothing_is_on_its_way()) return nullptr;
    const std::int64_t nodes = job.spec->nodes;
    const bool is_barred = nodes_with_room(job, cluster, true) >= nodes &&
                           nodes_with_room(job, cluster, false) < nodes;
    return is_barred ? &job : nullptr;
  }
  return nullptr;
}

// ---- the waiting job ---------------------------------------------------------------------------

// A job that has run before may avoid nodes, or wait before it is tried again.
bool PreemptionJudge::lacks_only_room(const Job& job) const {
  const JobSpec& spec = *job.spec;
  const bool is_new = job.attempt == AttemptNumber{} && job.avoid_nodes.empty();
  const bool is_eligible = !job.held && job.dependencies.empty() && job.eligible <= scene_.wall();
  const bool is_plain = !is_of_array(job) && !spec.exclusive && spec.gpu_type.empty();
  const bool may_need_one_type = spec.gpus_per_node > 0 && spec.nodes > 1;
  if (!is_new || !is_eligible || !is_plain || may_need_one_type) return false;
  if (spec.partition != "all") return false;
  const auto state = books_.partitions.find(spec.partition);
  if (state != books_.partitions.end() && !starts_jobs(state->second)) return false;
  return is_free_of_limits(spec);
}

bool PreemptionJudge::is_free_of_limits(const JobSpec& spec) const {
  for (const Qos* qos : books_.qos_binding(spec, spec.partition))
    if (qos->limits != QosLimits{}) return false;
  for (const auto& [id, one] : books_.associations)
    if (!one.limits.guarantee.empty() || !one.limits.deserved.empty()) return false;
  const Association* charged = books_.charged(spec);
  if (charged == nullptr) return true;
  return std::ranges::all_of(books_.chain(*charged), [](const Association* one) {
    return one->limits == AssociationLimits{};
  });
}

// No other job may get the room first, or have a claim on it. Suspended jobs of its tier are
// resumed before it starts.
bool PreemptionJudge::is_first_in_queue(const Job& job) const {
  return std::ranges::none_of(books_.jobs, [&](const auto& one) {
    const Job& other = one.second;
    const bool waits = other.state == JobState::Pending || other.state == JobState::Suspended;
    return other.id != job.id && waits && !other.held && tier_of(other) >= tier_of(job);
  });
}

// ---- its victims -------------------------------------------------------------------------------

// A job waits for room that is coming free, and does not preempt more. A silent node may return.
bool PreemptionJudge::nothing_is_on_its_way() const {
  const bool all_respond =
      std::ranges::all_of(books_.nodes, [](const auto& one) { return one.second.responding; });
  return all_respond && std::ranges::all_of(books_.attempts, [](const auto& one) {
           const Attempt& attempt = one.second;
           return attempt.ended != Wall{} ||
                  (attempt.stop.why == StopWhy::None && has_carried_out_suspension(attempt));
         });
}

bool PreemptionJudge::is_budget_spent(JobId id) const {
  const auto& settings = books_.config.scheduling;
  if (settings.preempt_budget == 0) return false;
  const auto counts = [&](Wall at) {
    return scene_.wall() - at < settings.preempt_budget_window - clocks_differ;
  };
  std::int64_t times = 0;
  for (auto one = books_.attempts.lower_bound({id, AttemptNumber{}});
       one != books_.attempts.end() && one->first.job == id; ++one) {
    const Attempt& attempt = one->second;
    if (attempt.stop.why == StopWhy::Preempt && counts(attempt.stop_asked)) times += 1;
    times += std::ranges::count_if(attempt.suspended_at, counts);
  }
  return times >= settings.preempt_budget;
}

// A job that its QOS suspends gives only its CPUs, so it is not counted as a victim.
bool PreemptionJudge::may_be_preempted(const Attempt& attempt, std::int32_t for_tier) const {
  const Job& job = books_.jobs.at(attempt.key.job);
  const Qos& qos = books_.qos.at(job.spec->qos);
  const PartitionConfig* partition = books_.partition(attempt.partition);
  if (partition == nullptr || job.state != JobState::Running || qos.tier >= for_tier) return false;
  const PreemptMode mode = partition->preempt_mode.value_or(qos.preempt_mode);
  if (mode == PreemptMode::Off || mode == PreemptMode::Suspend) return false;
  if (attempt.suspension.suspended) return false;
  Milliseconds exempt = books_.config.scheduling.preempt_exempt_time;
  if (qos.preempt_exempt_time_s) exempt = std::chrono::seconds{*qos.preempt_exempt_time_s};
  const Wall since = std::max(attempt.began + Milliseconds{attempt.suspended_ms}, attempt.resumed);
  return since + exempt < scene_.wall();
}

PreemptionJudge::Free PreemptionJudge::free_on(const Node& node, std::int32_t for_tier,
                                               bool though_spent) const {
  Free free{node.total.cpus, node.total.memory_mb, std::ssize(node.total.gpus)};
  for (const Attempt* attempt : books_.live_attempts()) {
    const JobId id = attempt->key.job;
    if (may_be_preempted(*attempt, for_tier) && (though_spent || !is_budget_spent(id))) continue;
    for (const AttemptNode& n : attempt->nodes) {
      if (n.grant.node != node.name) continue;
      if (books_.jobs.at(id).spec->exclusive) return {};
      free.cpus -= n.grant.cpus;
      free.memory_mb -= n.grant.memory_mb;
      free.gpus -= std::ssize(n.grant.gpus);
    }
  }
  return free;
}

// A leader starts nothing on a node that has not said hello to it, or on which an attempt that is
// over still runs.
std::int64_t PreemptionJudge::nodes_with_room(const Job& job, const Cluster& cluster,
                                              bool though_spent) const {
  const JobSpec& spec = *job.spec;
  const std::int64_t cpus = (spec.tasks + spec.nodes - 1) / spec.nodes * spec.cpus_per_task;
  return std::ranges::count_if(books_.nodes, [&](const auto& one) {
    const Node& node = one.second;
    const Liveness& live = cluster.liveness(node.name);
    if (node.drained || live.session.empty() || live.ends_foreign) return false;
    const Free free = free_on(node, tier_of(job), though_spent);
    return cpus <= free.cpus && spec.memory_mb_per_node <= free.memory_mb &&
           spec.gpus_per_node <= free.gpus;
  });
}

}  // namespace cox::sim
