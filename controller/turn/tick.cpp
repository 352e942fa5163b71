#include "controller/turn/tick.h"

// Acts on what is due by time: silent nodes, ended leases, launches that take too long, time
// limits, ended graces, and ended jobs that memory may forget.
#include <algorithm>

#include "common/base/time_format.h"
#include "controller/attempt/attempt.h"
#include "controller/attempt/ended.h"
#include "controller/attempt/react_health.h"
#include "controller/attempt/react_recovery.h"
#include "controller/attempt/react_silence.h"
#include "controller/attempt/suspend.h"
#include "controller/change/recovery.h"
#include "controller/feed/save_time.h"
#include "controller/ledger/checkpoints.h"
#include "controller/ledger/event_triggers.h"
#include "controller/ledger/lost_attempts.h"
#include "controller/ledger/site_runs.h"
#include "controller/operate/react_reservation.h"
#include "controller/state/node_health.h"

namespace cox {
namespace {

// At most so many jobs become eligible on each tick, so that no turn takes long.
constexpr int begun_per_tick_max = 10'000;
constexpr int too_late_per_tick_max = 1'000;

// Returns by how much prologs and epilogs on the nodes of the attempt may delay its launch.
Milliseconds programs_time(const Cluster& cluster, const Attempt& attempt) {
  Milliseconds longest{0};
  for (const auto& n : attempt.nodes)
    longest = std::max(longest, cluster.soft().contact(n.grant.node).programs);
  return longest;
}

void undo_late_launch(Reaction& r, JobId id) {
  const Attempt attempt = *r.cluster().job(id)->live_attempt();
  // The attempt may have run in turns that a failover lost. Its nodes will report whether it runs,
  // or their leases will end.
  if (may_have_run_unrecorded(r.cluster(), attempt)) return;
  std::string late;
  for (const auto& n : attempt.nodes) {
    if (n.phase != NodePhase::Preparing) continue;
    late += (late.empty() ? "" : ",") + n.grant.node;
    avoid_node(r, id, n.grant.node);
    blame_node(r, n.grant.node, culprit_of(r.cluster().job(id)->job),
               "job " + std::to_string(id.value) + " was not prepared in time");
  }
  stop_attempt(r, id,
               {StopWhy::LaunchUndone, false, 0, r.cluster().config().kill_wait.count(),
                late.empty() ? "its nodes have ended what they had prepared"
                             : "not prepared in time: " + late},
               "controller");
  advance(r, id);  // needed if no node is left that reports the end
}

// Returns how long before its time limit or deadline a job with --signal gets that signal.
Milliseconds warning_of(const JobSpec& spec) {
  return std::chrono::seconds{spec.signal.number != 0 ? spec.signal.seconds_before : 0};
}

// Returns "signalled 60 s before its deadline", or `reached` if no time is left.
std::string stop_text(const JobSpec& spec, Milliseconds left, const std::string& end,
                      const std::string& reached) {
  if (left <= Milliseconds{0}) return reached;
  return (spec.signal.number != 0 ? "signalled " : "asked to save ") +
         std::to_string((left.count() + 999) / 1000) + " s before its " + end;
}

// Stops the job at its time limit. A job that saves at its limit has the grace of its QOS from now
// on. A job with --signal has the time that is left until the limit, if any.
void reach_time_limit(Reaction& r, JobId id, Boot limit) {
  const JobEntry& e = *r.cluster().job(id);
  const JobSpec& spec = *e.job.spec;
  const Milliseconds left = std::max(Milliseconds{limit - r.now().boot}, Milliseconds{0});
  const bool saves = saves_at_limit(spec);
  const Milliseconds grace = saves ? grace_after_limit(r.cluster(), spec) : left;
  const std::string end = "time limit of " + format_time_limit(e.time_limit_s());
  stop_attempt(
      r, id,
      {StopWhy::TimeLimit, saves || left > Milliseconds{0}, grace.count(),
       r.cluster().config().kill_wait.count(), stop_text(spec, left, end, end + " reached")},
      "controller");
}

// Stops a job that runs in room that is free only until a reservation of other users begins. The
// job keeps the whole grace of its QOS. If a save takes longer than the earlier ones did, the
// reservation begins a little later and no work is lost.
void watch_filler(Reaction& r, const JobEntry& e, Boot limit) {
  if (r.now().boot < limit - filler_lead(r.cluster(), e)) return;
  stop_attempt(r, e.job.id,
               {StopWhy::Migrate, true, r.cluster().accounting().qos_of(*e.job.spec).grace_ms,
                r.cluster().config().kill_wait.count(),
                "a reservation of other users begins; the job ran only until then"},
               "scheduler");
}

// Does nothing while the run time follows only from the wall clock: after a load, that of another
// host may have made it seem longer. The nodes report it as soon as they have contact.
void watch_limit(Reaction& r, const JobEntry& e, Boot limit) {
  if (!r.cluster().deadlines().of(e.job.id).is_proven) return;
  if (e.live_attempt()->fills) return watch_filler(r, e, limit);
  if (r.now().boot >= limit - warning_of(*e.job.spec)) reach_time_limit(r, e.job.id, limit);
}

// Stops a job shortly before its deadline, early enough for it to save. The save must end by the
// deadline.
void watch_deadline(Reaction& r, const JobEntry& e) {
  const JobSpec& spec = *e.job.spec;
  if (spec.deadline == Wall{}) return;
  const Milliseconds lead = warning_of(spec) + grace_after_limit(r.cluster(), spec);
  if (r.now().wall < spec.deadline - lead) return;
  const Milliseconds wait = std::max(spec.deadline - r.now().wall, Milliseconds{0});
  stop_attempt(r, e.job.id,
               {StopWhy::Deadline, wait > Milliseconds{0}, wait.count(),
                r.cluster().config().kill_wait.count(),
                stop_text(spec, wait, "deadline", "its deadline has come")},
               "controller");
}

// Watches a job that was ordered to suspend. Until every node has stopped the job, it may run, so
// its time limit applies. If it is not stopped within prepare_timeout (a process is blocked in the
// kernel, or a supervisor is too old for the order), its CPUs do not become free: it is resumed,
// and the scheduler finds other nodes for the preemptor.
void watch_suspension(Reaction& r, const JobEntry& e, const Deadlines& d) {
  if (is_suspended(*e.live_attempt())) return;
  const bool is_late = r.now().boot >= d.prepare;
  if (d.limit) watch_limit(r, e, *d.limit);
  // Not a held job: that was suspended by a user. The controller repeats the order to its nodes
  // until they have carried it out.
  if (e.job.state == JobState::Suspended && is_late && !e.job.held) {
    resume_attempt(r, e.job.id);
    r.ask_for_scheduling();
  }
}

void watch_job(Reaction& r, JobId id) {
  watch_client(r, id);
  const JobEntry& e = *r.cluster().job(id);
  const Deadlines d = r.cluster().deadlines().of(id);
  const Boot now = r.now().boot;
  switch (e.job.state) {
    case JobState::Configuring:
      if (awaits_prolog(r.cluster(), e)) return ask_for_prolog(r, id);
      if (now >= d.prepare + programs_time(r.cluster(), *e.live_attempt())) undo_late_launch(r, id);
      return;
    case JobState::Running:
      watch_deadline(r, e);
      if (d.limit && r.cluster().job(id)->job.state == JobState::Running)
        watch_limit(r, *r.cluster().job(id), *d.limit);
      return;
    case JobState::Suspended:
      watch_deadline(r, e);
      if (r.cluster().job(id)->job.state == JobState::Suspended)
        watch_suspension(r, *r.cluster().job(id), d);
      return;
    case JobState::Signaling:
      if (d.grace && now >= *d.grace)
        r.move(id, Trigger::EndBegan, "the time to save is over", "controller");
      return;
    case JobState::Completing:
      if (is_failed_gang(*e.live_attempt()) || is_unsent(r.cluster(), *e.live_attempt()))
        advance(r, id);
      return;
    default: return;
  }
}

void retry_launch(Reaction& r, JobId id, Boot retry_after) {
  if (retry_after > r.now().boot) return;
  r.set_retry_after(id, Boot{});
  r.ask_for_scheduling();
}

void let_jobs_begin(Reaction& r) {
  for (const JobId id : r.cluster().eligibility().due_by_boot(r.now())) {
    r.let_begin(id);
    r.ask_for_scheduling();
  }
  const Eligibility::Moments& begins = r.cluster().eligibility().begins();
  for (int some = begun_per_tick_max; some > 0 && !begins.empty(); --some) {
    if (begins.begin()->first > r.now().wall) return;
    r.let_begin(begins.begin()->second);
    r.ask_for_scheduling();
  }
}

void end_what_is_too_late(Reaction& r) {
  const Eligibility::Moments& latest = r.cluster().eligibility().latest_starts();
  for (int some = too_late_per_tick_max; some > 0 && !latest.empty(); --some) {
    if (latest.begin()->first >= r.now().wall) return;
    end_job(r, latest.begin()->second, Trigger::EndedDeadline,
            "it did not start in time to end by its deadline", "controller");
  }
}

void forget_old_jobs(Reaction& r) {
  // First the reasons of jobs that can never start must be stored, and for these memory must still
  // have the jobs that they depend on.
  if (!r.cluster().eligibility().hopeless_unrecorded().empty()) return;
  std::vector<JobId> old;
  for (const auto& [ended, id] : r.cluster().jobs().ended()) {
    if (r.now().wall - ended <= r.cluster().config().min_job_age) break;
    const JobId array = r.cluster().job(id)->job.array_job;
    const Dependants& dependants = r.cluster().eligibility().dependants();
    if (!dependants.is_awaited(id) && !dependants.is_awaited(array)) old.push_back(id);
  }
  for (const JobId id : old) r.forget(id);
}

}  // namespace

void on_tick(Reaction& r) {
  r.soft_state().time_of_day.note(r.now());
  if (r.settle_hours()) r.ask_for_scheduling();
  watch_silent_nodes(r);
  update_avoided(r);
  watch_failover(r);
  const std::vector<JobId> live(r.cluster().jobs().live().begin(), r.cluster().jobs().live().end());
  for (const JobId id : live) watch_job(r, id);
  const std::map<JobId, Boot> retrying = r.cluster().jobs().retrying();
  for (const auto& [id, retry_after] : retrying) retry_launch(r, id, retry_after);
  watch_reservations(r);
  let_jobs_begin(r);
  end_what_is_too_late(r);
  watch_triggers(r);
  forget_old_jobs(r);
  watch_checkpoints(r);
}

}  // namespace cox
