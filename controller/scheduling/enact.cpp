#include "controller/scheduling/enact.h"

#include <algorithm>
#include <array>
#include <map>

#include "common/base/check.h"
#include "common/base/moment_text.h"
#include "common/job/job_ref.h"
#include "controller/attempt/attempt.h"
#include "controller/attempt/launch.h"
#include "controller/attempt/suspend.h"
#include "controller/feed/engine_input.h"
#include "controller/feed/save_time.h"
#include "controller/job/requeue.h"
#include "controller/ledger/lost_attempts.h"
#include "controller/ledger/resume.h"
#include "controller/ledger/site_runs.h"
#include "controller/scheduling/ineligible.h"
#include "controller/scheduling/split.h"

namespace cox {
namespace {

// How much of a pass runs in one turn, counted in nodes that the engine looks at. This takes 3 to 6
// ms where a whole pass takes 240 ms (cox-micro: full_pass_in_parts). The same turn also carries
// out the starts that this part has decided, up to a few hundred.
constexpr std::int64_t pass_part_work = 250'000;

// The number of queued jobs that are explained in full when a user lists jobs. A job further back
// is explained in full when a user asks for its id.
constexpr std::size_t jobs_explained_max = 100;

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

// Returns the time in seconds that a job may run until its deadline, without the grace in which it
// saves; nullopt: it has no deadline.
std::optional<std::int64_t> time_to_deadline(const JobSpec& spec, Milliseconds grace, Wall now) {
  if (spec.deadline == Wall{}) return std::nullopt;
  // 2 s longer, so that the deadline ends the job before the time limit does.
  return std::max<std::int64_t>((spec.deadline - now - grace).count() / 1000, 0) + 2;
}

std::string partition_of_start(const Cluster& cluster, const ParsedSpec& spec,
                               const Placement& placement) {
  Partitions partitions = cluster.partitions().open_to(spec);
  if (partitions.size() == 1) return partitions.front()->name;
  Placement first;  // only the nodes of component 0, since the partition is that component's
  std::ranges::copy_if(placement, std::back_inserter(first),
                       [](const NodeGrant& grant) { return grant.component == 0; });
  const auto* found = partition_granting(
      partitions, first, [&](const std::string& node) { return cluster.node(node)->total.cpus; });
  return found == nullptr ? spec.partition : found->name;
}

// Returns whether the job waits for a limit or a licence, and not for room, as far as is known: by
// its pending reason, which is at most some seconds old.
bool waits_for_limit(const Cluster& cluster, JobId id) {
  constexpr auto of_room = std::to_array(
      {WaitReason::None, WaitReason::Priority, WaitReason::Resources, WaitReason::ReqNodeNotAvail});
  const WaitReason reason = cluster.soft().pending_reason_of(id).reason;
  return std::ranges::find(of_room, reason) == of_room.end();
}

void start(Reaction& r, const schedule::Start& s) {
  const bool waited_for_limit = waits_for_limit(r.cluster(), s.job);
  const JobId id = split_first(r, s.job);
  renew_source(r, id);
  const JobEntry& e = *r.cluster().job(id);
  Attempt attempt;
  attempt.key = {id, next_attempt(r.cluster(), e)};
  for (const auto& grant : s.placement) attempt.nodes.push_back({grant, {}, 0, {}});
  attempt.partition = partition_of_start(r.cluster(), *e.job.spec, s.placement);
  attempt.ranks = ranks_of(*e.job.spec, s.placement);
  attempt.began = r.moment_of(id);
  attempt.fills = s.fills;
  // The time limits in a Plan include the grace that follows the limit, see pending_job().
  const Milliseconds grace = grace_after_limit(r.cluster(), *e.job.spec);
  if (s.time_limit)
    attempt.time_limit_s = (*s.time_limit - (s.fills ? Milliseconds{0} : grace)).count() / 1000;
  if (const auto left = time_to_deadline(*e.job.spec, grace, r.now().wall);
      left && (e.job.spec->time_limit_s == 0 || *left < e.job.spec->time_limit_s))
    attempt.time_limit_s =
        attempt.time_limit_s == 0 ? *left : std::min(attempt.time_limit_s, *left);
  std::string why = "placed on " + place_text(s.placement);
  if (const Checkpoint* c = e.checkpoint_to_resume()) {
    attempt.resume = ResumeFrom{c->key.attempt, c->step};
    attempt.resume_job_step = c->job_step;
    attempt.resume_command_hash = c->command_hash;
  } else if (const ResumeSource& from = e.job.spec->resume_from; from.job != JobId{}) {
    attempt.resume = ResumeFrom{from.attempt, from.step, from.job};
  }
  if (attempt.resume) why += ", to resume from " + source_text(*attempt.resume);
  if (s.fills)
    why += ", for the " + std::to_string(attempt.time_limit_s) +
           " s before a reservation of other users begins";
  r.add(attempt);
  r.move(id, Trigger::Start, why, "scheduler",
         [&](Job& job) { job.attempt = attempt.key.attempt; });
  if (waited_for_limit) r.soft_state().waited_for_limit.insert(id);
  begin_launch(r, id);
}

std::string preemption_text(const Cluster& cluster, const JobEntry& e,
                            const schedule::Preemption& p) {
  const std::string preemptor = command_id(cluster.job(p.preemptor)->job);
  if (!p.continues_on_nodes) return "preempted by job " + preemptor;
  const std::string nodes =
      std::to_string(*p.continues_on_nodes) + (*p.continues_on_nodes == 1 ? " node" : " nodes");
  if (p.preemptor == p.victim) return "grows to " + nodes;
  if (std::cmp_equal(*p.continues_on_nodes, e.live_attempt()->nodes.size()))
    return "moved to make room for job " + preemptor;
  return "shrinks to " + nodes + " to make room for job " + preemptor;
}

// Returns Preempt if the job loses nodes. A job that continues on other or on more nodes is
// migrated, which does not count against its preempt_budget.
StopWhy reason_of(const JobEntry& e, const schedule::Preemption& p) {
  const bool smaller =
      !p.continues_on_nodes || std::cmp_less(*p.continues_on_nodes, e.live_attempt()->nodes.size());
  return smaller ? StopWhy::Preempt : StopWhy::Migrate;
}

void preempt(Reaction& r, const schedule::Preemption& p) {
  const JobEntry& e = *r.cluster().job(p.victim);
  if (p.suspends)
    return suspend_attempt(r, p.victim,
                           "suspended for job " + command_id(r.cluster().job(p.preemptor)->job) +
                               ", which gets its CPUs",
                           "scheduler");
  const bool has_gpus = std::ranges::any_of(
      e.live_attempt()->nodes, [](const AttemptNode& n) { return !n.grant.gpus.empty(); });
  const std::string unit = has_gpus ? "GPU-seconds" : "CPU-seconds";
  std::string why = preemption_text(r.cluster(), e, p) + " (" +
                    std::to_string(static_cast<std::int64_t>(p.loss_unit_seconds)) + " unsaved " +
                    unit + " at stake";
  const PreemptMode mode = r.cluster().accounting().qos_of(e).preempt_mode;
  if (e.job.spec->requeue && mode != PreemptMode::Cancel)
    why += ", about " + std::to_string(static_cast<std::int64_t>(p.restart_unit_seconds)) + " " +
           unit + " to start again";
  why += ")";
  stop_attempt(r, p.victim, stop_order_of_qos(r.cluster(), e, reason_of(e, p), std::move(why)),
               "scheduler");
}

// Sets the pending reason of jobs that wait after a requeue. It is BeginTime, as in Slurm.
void explain_retries(Reaction& r) {
  for (const auto& [id, retry_after] : r.cluster().jobs().retrying()) {
    const JobEntry& e = *r.cluster().job(id);
    const std::string again = moment_text(r.now().wall + (retry_after - r.now().boot));
    const bool ran = e.attempts.back().went != Wall{};
    const std::int64_t in_vain = attempts_without_progress(e, r.cluster().config());
    const std::string count =
        in_vain == 0 ? "its last attempt ended within seconds: "
                     : "attempts in a row without a new checkpoint: " + std::to_string(in_vain) +
                           ", the last: ";
    const std::string text =
        ran ? count + e.attempts.back().outcome + "; it starts again at " + again +
                  " at the earliest"
            : "its launch failed (" + *e.job.why + "); the next try is at " + again;
    const WaitReason reason = ran ? WaitReason::BeginTime : WaitReason::ReqNodeNotAvail;
    r.soft_state().keep_pending_reason(id, {reason, text, {text}, retry_after, true});
  }
}

// Returns the pending reason from a pass. A job that cannot start in time for its deadline gets no
// expected start.
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

// Sets the pending reason of jobs that are kept out of the queue because none of their partitions
// starts jobs now; of at most 10 * jobs_explained_max jobs.
void explain_closed_partitions(Reaction& r) {
  std::size_t explained_count = 0;
  for (const JobId id : r.cluster().eligibility().kept_out()) {
    const auto why = why_ineligible(r.cluster(), r.cluster().job(id)->job, r.now());
    if (!why) continue;
    std::optional<Boot> opens;
    if (why->until) opens = r.now().boot + (*why->until - r.now().wall);
    r.soft_state().keep_pending_reason(id, {why->reason, why->detail, {why->detail}, opens, true});
    if (++explained_count == 10 * jobs_explained_max) return;
  }
}

// Sets the pending reason of suspended jobs that the pass did not explain: those that are not yet
// stopped on all nodes, held ones, and those that are being resumed.
void explain_suspensions(Reaction& r) {
  for (const JobId id : r.cluster().jobs().live()) {
    const JobEntry& e = *r.cluster().job(id);
    if (e.job.state != JobState::Suspended) continue;
    if (r.cluster().soft().pending_reason_of(id).reason != WaitReason::None) continue;
    const bool still = is_suspended(*e.live_attempt());
    const std::string by = e.job.why->starts_with("suspended by ") ? *e.job.why : "held by a user";
    const std::string text =
        !still       ? "is being suspended; its CPUs are free when all its nodes have stopped it"
        : e.job.held ? by + "; `scontrol resume " + command_id(e.job) + "` resumes it"
                     : "is being resumed";
    const WaitReason reason = still && e.job.held ? WaitReason::JobHeldUser : WaitReason::Resources;
    r.soft_state().keep_pending_reason(id, {reason, text, {text}, {}, true});
  }
}

}  // namespace

bool run_pass_part(Reaction& r) {
  schedule::Scheduler& scheduler = r.scheduler();
  // If a reservation began or ended in the last 10 s, pending reasons are out of date, although no
  // row has changed.
  constexpr Milliseconds lately{10'000};
  const auto edge = scheduler.engine().ground().advance().next_edge(r.now().boot - lately);
  if (edge && *edge <= r.now().boot) r.soft_state().reasons_made_at = -1;
  const schedule::Plan plan = scheduler.plan_part(r.now(), pass_part_work);
  for (const auto& s : plan.starts) start(r, s);
  // A claim is room that preemption frees for a job. If the job is an array's row, it is for one
  // task: that task is split off, and the room is reserved for it.
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
  for (const auto& c : plan.claims) r.feed().claim(tasks.at(c.job), c.placement, r.now());
  // Other tasks of the array may preempt, too; the next pass decides that.
  return !scheduler.is_passing() && !next_task_is_due;
}

void explain_pending_jobs(Reaction& r, std::optional<JobId> focus) {
  if (focus) {
    const JobEntry& e = *r.cluster().job(*focus);
    const bool waits =
        e.job.state == JobState::Pending && !why_ineligible(r.cluster(), e.job, r.now());
    if (!waits && e.job.state != JobState::Suspended) return;
  }
  r.scheduler();  // if the brief silence of a node has ended, this marks the reasons as out of date
  const bool fresh = r.cluster().changes_applied() == r.soft_state().reasons_made_at;
  if (fresh && (!focus || r.cluster().soft().pending_reason_of(*focus).complete)) return;
  if (!fresh) r.soft_state().forget_pending_reasons();
  auto telling = schedule::ExplainDepth::first(jobs_explained_max, focus, titles_of(r.cluster()));
  telling.limit_of = limits_named_by(r.cluster(), r.now().wall);
  const schedule::Plan plan = r.scheduler().plan(r.now(), std::move(telling));
  for (const auto& w : plan.waiting)
    r.soft_state().keep_pending_reason(w.job, pending_reason_from(r, w));
  explain_retries(r);
  explain_closed_partitions(r);
  explain_suspensions(r);
  r.soft_state().reasons_made_at = r.cluster().changes_applied();
}

}  // namespace cox
