#include "controller/scheduling/enact.h"

// One scheduling pass: SchedulerInput out of the cluster, Plan out of schedule/, and the plan made
// true.
#include <map>

#include "common/base/check.h"
#include "common/base/moment_text.h"
#include "common/job/job_ref.h"
#include "controller/attempt/attempt.h"
#include "controller/attempt/launch.h"
#include "controller/attempt/suspend.h"
#include "controller/ledger/checkpoints.h"
#include "controller/ledger/lost_attempts.h"
#include "controller/ledger/site_runs.h"
#include "controller/scheduling/ineligible.h"
#include "controller/scheduling/split.h"
#include "controller/state/engine_input.h"
#include "controller/state/requeue.h"
#include "controller/state/save_time.h"

namespace cox {
namespace {

// Of a pass in one turn, in nodes looked at: 3 to 6 ms where a whole pass takes 240 (cox-micro:
// full_pass_in_parts), and some hundred starts that are made true in the same turn.
constexpr std::int64_t pass_part_work = 250'000;

// So many of those in line are told everything of their waiting when somebody looks; the others
// when they are asked for by their id.
constexpr std::size_t jobs_told_max = 100;

std::string place_text(const Placement& placement) {
  std::string text;
  for (const auto& g : placement) text += (text.empty() ? "" : ",") + g.node;
  return text;
}

std::vector<RankStatus> ranks_of(const JobSpec& spec, const Placement& placement) {
  std::vector<RankStatus> ranks;
  for (std::size_t i = 0; i < placement.size(); ++i) {
    const auto count = ranks_run_on(spec, placement[i], static_cast<std::int32_t>(i));
    for (std::int32_t k = 0; k < count; ++k) {
      ranks.emplace_back();
      ranks.back().rank = static_cast<std::int32_t>(ranks.size()) - 1;
    }
  }
  return ranks;
}

// Returns the time that a job with a deadline may run, in seconds, without the grace to save in.
std::optional<std::int64_t> time_to_deadline(const JobSpec& spec, Milliseconds grace, Wall now) {
  if (spec.deadline == Wall{}) return std::nullopt;
  // One more, so that it is the deadline that ends it.
  return std::max<std::int64_t>((spec.deadline - now - grace).count() / 1000, 0) + 2;
}

std::string partition_of_start(const Cluster& cluster, const JobSpec& spec,
                               const Placement& placement) {
  Partitions partitions = cluster.open_partitions(spec);
  if (partitions.size() == 1) return partitions.front()->name;
  Placement first;  // where the first component runs, as the partition is that one's
  std::ranges::copy_if(placement, std::back_inserter(first),
                       [](const NodeGrant& grant) { return grant.component == 0; });
  const auto* found = partition_granting(
      partitions, first, [&](const std::string& node) { return cluster.node(node)->total.cpus; });
  return found == nullptr ? spec.partition : found->name;
}

void start(Reaction& r, const schedule::Start& s) {
  const JobId id = split_first(r, s.job);
  const JobEntry& e = *r.cluster().job(id);
  Attempt attempt;
  attempt.key = {id, next_attempt(r.cluster(), e)};
  for (const auto& grant : s.placement) attempt.nodes.push_back({grant, {}, 0, {}});
  attempt.partition = partition_of_start(r.cluster(), *e.job.spec, s.placement);
  attempt.ranks = ranks_of(*e.job.spec, s.placement);
  attempt.began = r.moment_of(id);
  attempt.fills = s.fills;
  // The scheduler's limits include the grace after the time limit, see pending_job().
  const Milliseconds grace = grace_after_limit(r.cluster(), *e.job.spec);
  if (s.time_limit)
    attempt.time_limit_s = (*s.time_limit - (s.fills ? Milliseconds{0} : grace)).count() / 1000;
  if (const auto left = time_to_deadline(*e.job.spec, grace, r.now().wall);
      left && (e.job.spec->time_limit_s == 0 || *left < e.job.spec->time_limit_s))
    attempt.time_limit_s =
        attempt.time_limit_s == 0 ? *left : std::min(attempt.time_limit_s, *left);
  std::string why = "placed on " + place_text(s.placement);
  if (const Checkpoint* c = e.newest_checkpoint()) {
    attempt.resume = ResumeFrom{c->key.attempt, c->step};
  } else if (const ResumeSource& from = e.job.spec->resume_from; from.job != JobId{}) {
    attempt.resume = ResumeFrom{from.attempt, from.step, from.job};
  }
  if (attempt.resume) why += ", to resume from " + source_text(*attempt.resume);
  if (s.fills)
    why += ", for the " + std::to_string(attempt.time_limit_s) +
           " s before a reservation of others begins";
  r.add(attempt);
  r.move(id, Trigger::Start, why, "scheduler",
         [&](Job& job) { job.attempt = attempt.key.attempt; });
  begin_launch(r, id);
}

std::string preemption_text(const Cluster& cluster, const JobEntry& e,
                            const schedule::Preemption& p) {
  const std::string preemptor = told_id(cluster.job(p.preemptor)->job);
  if (!p.goes_on_with) return "preempted by job " + preemptor;
  const std::string nodes =
      std::to_string(*p.goes_on_with) + (*p.goes_on_with == 1 ? " node" : " nodes");
  if (p.preemptor == p.victim) return "grows to " + nodes;
  if (std::cmp_equal(*p.goes_on_with, e.live_attempt()->nodes.size()))
    return "moved to make room for job " + preemptor;
  return "shrinks to " + nodes + " to make room for job " + preemptor;
}

// Whoever moves or grows has not given way: that counts for nothing against it.
StopWhy reason_of(const JobEntry& e, const schedule::Preemption& p) {
  const bool smaller =
      !p.goes_on_with || std::cmp_less(*p.goes_on_with, e.live_attempt()->nodes.size());
  return smaller ? StopWhy::Preempt : StopWhy::Migrate;
}

void preempt(Reaction& r, const schedule::Preemption& p) {
  const JobEntry& e = *r.cluster().job(p.victim);
  if (p.suspends)
    return suspend_attempt(
        r, p.victim,
        "suspended for job " + told_id(r.cluster().job(p.preemptor)->job) + ", which gets its CPUs",
        "scheduler");
  const bool has_gpus = std::ranges::any_of(
      e.live_attempt()->nodes, [](const AttemptNode& n) { return !n.grant.gpus.empty(); });
  std::string why = preemption_text(r.cluster(), e, p) + " (" +
                    std::to_string(static_cast<std::int64_t>(p.loss_unit_seconds)) + " unsaved " +
                    (has_gpus ? "GPU-seconds" : "CPU-seconds") + " at stake";
  const PreemptMode mode = r.cluster().qos_of(e).preempt_mode;
  if (e.job.spec->requeue && mode != PreemptMode::Cancel)
    why += ", about " + std::to_string(static_cast<std::int64_t>(p.restart_unit_seconds)) +
           " to start again";
  why += ")";
  stop_attempt(r, p.victim, stop_as_its_qos_says(r.cluster(), e, reason_of(e, p), std::move(why)),
               "scheduler");
}

// Slurm has BeginTime for a requeued job that waits before it may start.
void tell_retries(Reaction& r) {
  for (const JobId id : r.cluster().retrying()) {
    const JobEntry& e = *r.cluster().job(id);
    const std::string again = moment_text(r.now().wall + (e.retry_after - r.now().boot));
    const bool ran = e.attempts.back().went != Wall{};
    const std::int64_t in_vain = attempts_without_progress(e, r.cluster().config());
    const std::string count =
        in_vain == 0 ? "its last attempt ended within seconds: "
                     : "attempts in a row without a new checkpoint: " + std::to_string(in_vain) +
                           ", the last: ";
    const std::string text = ran ? count + e.attempts.back().outcome + "; it starts again at " +
                                       again + " at the earliest"
                                 : "its launch failed (" + e.job.why + "); tried again at " + again;
    const WaitReason reason = ran ? WaitReason::BeginTime : WaitReason::ReqNodeNotAvail;
    r.soft_state().keep_pending_reason(id, {reason, text, {text}, e.retry_after, true});
  }
}

// Who would come too late for its deadline has no start to expect.
PendingReason pending_reason_from(const Reaction& r, const schedule::PendingExplanation& w) {
  PendingReason pending{w.reason,         w.detail,   w.lines,
                        w.expected_start, w.complete, w.at_the_earliest};
  if (!w.expected_start) return pending;
  const Wall expected = r.now().wall + (*w.expected_start - r.now().boot);
  const std::string late = too_late_text(*r.cluster().job(w.job)->job.spec, expected);
  if (late.empty()) return pending;
  pending.expected_start.reset();
  pending.detail += (pending.detail.empty() ? "" : "; ") + late;
  if (!pending.lines.empty()) pending.lines.push_back(late);
  return pending;
}

// As many as have their reason told in line.
void tell_closed_partitions(Reaction& r) {
  std::size_t told = 0;
  for (const JobId id : r.cluster().kept_out()) {
    const auto why = why_ineligible(r.cluster(), r.cluster().job(id)->job, r.now());
    if (!why) continue;
    std::optional<Boot> opens;
    if (why->until) opens = r.now().boot + (*why->until - r.now().wall);
    r.soft_state().keep_pending_reason(id, {why->reason, why->detail, {why->detail}, opens, true});
    if (++told == 10 * jobs_told_max) return;
  }
}

// Of those that a pass does not judge: they do not stand still yet, or it tells them to go on.
void tell_suspensions(Reaction& r) {
  for (const JobId id : r.cluster().live()) {
    const JobEntry& e = *r.cluster().job(id);
    if (e.job.state != JobState::Suspended) continue;
    if (r.cluster().pending_reason_of(id).reason != WaitReason::None) continue;
    const bool still = stands_still(*e.live_attempt());
    const std::string text = !still ? "is being stopped; its CPUs are free when it stands still"
                             : e.job.held ? "suspended by a person; `scontrol resume` lets it go on"
                                          : "is being told to go on";
    const WaitReason reason = still && e.job.held ? WaitReason::JobHeldUser : WaitReason::Resources;
    r.soft_state().keep_pending_reason(id, {reason, text, {text}, {}, true});
  }
}

}  // namespace

bool run_pass_part(Reaction& r) {
  schedule::Scheduler& scheduler = r.cluster().scheduler(r.now());
  // Nothing need change when a reservation begins or ends, and what was told of it is old.
  constexpr Milliseconds lately{10'000};
  const auto edge = scheduler.engine().advance().next_edge(r.now().boot - lately);
  if (edge && *edge <= r.now().boot) r.soft_state().told_at() = -1;
  const schedule::Plan plan = scheduler.plan_part(r.now(), pass_part_work);
  for (const auto& s : plan.starts) start(r, s);
  // Victims stop for one task of an array, and what they leave is kept for it.
  std::map<JobId, JobId> tasks;
  bool next_task_is_due = false;
  for (const auto& c : plan.claims) {
    tasks[c.job] = split_first(r, c.job);
    next_task_is_due = next_task_is_due || tasks[c.job] != c.job;
  }
  for (schedule::Preemption p : plan.preemptions) {
    if (const auto task = tasks.find(p.preemptor); task != tasks.end()) p.preemptor = task->second;
    preempt(r, p);
  }
  for (const JobId id : plan.resumes) resume_attempt(r, id);
  for (const auto& c : plan.claims) r.soft_state().claim(tasks.at(c.job), c.placement);
  // Others of such an array may have victims too, which the next pass finds.
  return !scheduler.is_passing() && !next_task_is_due;
}

void explain_pending_jobs(Reaction& r, std::optional<JobId> focus) {
  const bool fresh = r.cluster().changes_applied() == r.soft_state().told_at();
  if (focus) {
    const JobEntry& e = *r.cluster().job(*focus);
    const bool waits =
        e.job.state == JobState::Pending && !why_ineligible(r.cluster(), e.job, r.now());
    if (!waits && e.job.state != JobState::Suspended) return;
    if (fresh && r.cluster().pending_reason_of(*focus).complete) return;
  } else if (fresh) {
    return;
  }
  if (!fresh) r.soft_state().forget_pending_reasons();
  auto telling = schedule::ExplainDepth::first(jobs_told_max, focus, titles_of(r.cluster()));
  telling.limit_of = limits_named_by(r.cluster(), r.now().wall);
  const schedule::Plan plan = r.cluster().scheduler(r.now()).plan(r.now(), std::move(telling));
  for (const auto& w : plan.waiting)
    r.soft_state().keep_pending_reason(w.job, pending_reason_from(r, w));
  tell_retries(r);
  tell_closed_partitions(r);
  tell_suspensions(r);
  r.soft_state().told_at() = r.cluster().changes_applied();
}

}  // namespace cox
