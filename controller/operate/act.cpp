#include "controller/operate/act.h"

#include <algorithm>

#include "common/base/check.h"
#include "common/base/limits.h"
#include "common/base/moment_text.h"
#include "common/base/nearest.h"
#include "common/base/text.h"
#include "common/job/job_ref.h"
#include "controller/admit/cron.h"
#include "controller/admit/input_checks.h"
#include "controller/attempt/attempt.h"
#include "controller/attempt/ended.h"
#include "controller/attempt/react_health.h"
#include "controller/attempt/react_silence.h"
#include "controller/attempt/suspend.h"
#include "controller/feed/save_time.h"
#include "controller/job/requeue.h"
#include "controller/ledger/authorisation.h"
#include "controller/ledger/resume.h"
#include "controller/state/counted.h"

namespace cox {
namespace {

Acted::Outcome done(std::string what, std::string text) {
  return {std::move(what), std::move(text), std::nullopt};
}

Acted::Outcome refuse(std::string what, std::string fact, std::string hint) {
  return {std::move(what), "", Refusal{std::move(fact), std::move(hint)}};
}

std::string actor_of(const Caller& caller) {
  return "user " + caller.user_name;
}

StopOrder at_once(const Cluster& cluster, StopWhy why, std::string detail) {
  return {why, false, 0, cluster.config().kill_wait.count(), std::move(detail)};
}

Acted::Outcome cancel(Reaction& r, const Caller& caller, const Job& job) {
  const std::string what = shown_id(job);
  const std::string why = "cancelled by " + caller.user_name;
  if (is_final(job.state)) return done(what, "had already ended: " + std::string(name(job.state)));
  if (job.state == JobState::Pending) {
    end_job(r, job.id, Trigger::EndedCancelled, why, actor_of(caller));
    return done(what, "cancelled");
  }
  stop_attempt(r, job.id, at_once(r.cluster(), StopWhy::Cancel, why), actor_of(caller));
  advance(r, job.id);
  return done(what, "being cancelled");
}

Acted::Outcome hold(Reaction& r, const Caller& caller, const Job& job, bool held) {
  const std::string what = shown_id(job);
  if (is_final(job.state))
    return refuse(what, "job " + what + " has ended", "see `cox history " + command_id(job) + "`");
  if (job.held == held) return done(what, held ? "was held already" : "was not held");
  if (!held)
    if (auto why = check_release(r.cluster(), *r.cluster().job(job.id))) return {what, "", *why};
  r.edit(job.id, [&](Job& j) { set_hold(j, held, r.now().wall); });
  if (!held) look_again(r, job.id);
  // A hold by the controller was a wait already, so that for the next try is over.
  if (!held && !job.held_why->empty()) r.set_retry_after(job.id, Boot{});
  r.note(job.id, held ? "hold" : "release", held ? "held" : "released", actor_of(caller));
  r.ask_for_scheduling();
  if (held && job.state == JobState::Suspended)
    return done(what, "will stay suspended until released");
  if (held && is_live(job.state)) return done(what, "still running, will be held when requeued");
  return done(what, held ? "held" : "released");
}

Acted::Outcome release_anew(Reaction& r, const Caller& caller, const Job& job) {
  const std::string what = shown_id(job);
  if (Failure why = set_checkpoints_aside(r, job)) return {what, "", std::move(*why)};
  r.edit(job.id, [&](Job& j) { set_hold(j, false, r.now().wall); });
  if (!job.held_why->empty()) r.set_retry_after(job.id, Boot{});
  r.note(job.id, "release", "released, to begin anew without its checkpoints", actor_of(caller));
  r.ask_for_scheduling();
  return done(what, "released; " + next_begin_text(r.cluster(), *r.cluster().job(job.id)));
}

std::string preempt_rule_of(const Cluster& cluster, const JobEntry& e) {
  const Partitions partitions = cluster.partitions().of(e);
  const bool by_partition = !partitions.empty() && partitions.front()->preempt_mode;
  return by_partition ? "partition " + partitions.front()->name : "QOS " + e.job.spec->qos;
}

// Holds the job in the name of the caller. REQUIRES: the job has not ended.
void set_held(Reaction& r, const Caller& caller, JobId id) {
  if (r.cluster().job(id)->job.held) return;
  r.edit(id, [](Job& j) { j.held = true; });
  r.note(id, "hold", "held", actor_of(caller));
}

// Suspends a job. Also holds it, so that no scheduling pass resumes it, or starts it again if it is
// requeued meanwhile.
Acted::Outcome suspend(Reaction& r, const Caller& caller, const Job& job) {
  const std::string what = shown_id(job);
  if (is_final(job.state))
    return refuse(what, "job " + what + " has ended", "see `cox history " + command_id(job) + "`");
  if (caller.uid != r.cluster().config().owner_uid) return {what, "", only_for_owner()};
  const Attempt* live = r.cluster().job(job.id)->live_attempt();
  if (job.state == JobState::Suspended) {
    set_held(r, caller, job.id);
    return done(what, "will stay suspended until resumed");
  }
  if (job.state != JobState::Running || live->stop.why != StopWhy::None)
    return refuse(what, std::string(job_is_pending) + ": job " + what + " does not run",
                  job.state == JobState::Pending ? "`cox hold` keeps it from starting" : "");
  if (!has_carried_out_suspension(*live))
    return refuse(what, "job " + what + " is just being resumed", "try again in a moment");
  set_held(r, caller, job.id);
  suspend_attempt(r, job.id, "suspended by " + caller.user_name, actor_of(caller));
  r.ask_for_scheduling();
  return done(what, "being suspended; other jobs may get its CPUs");
}

Acted::Outcome resume(Reaction& r, const Caller& caller, const Job& job) {
  const std::string what = shown_id(job);
  if (caller.uid != r.cluster().config().owner_uid) return {what, "", only_for_owner()};
  if (job.state != JobState::Suspended)
    return refuse(what, "Job is not suspended: job " + what + " is " + std::string(name(job.state)),
                  job.state == JobState::Pending && job.held ? "`cox release` lets it start" : "");
  if (!job.held) return done(what, "resumes as soon as its CPUs are free");
  r.edit(job.id, [&](Job& j) { set_hold(j, false, r.now().wall); });
  r.note(job.id, "release", "may resume", actor_of(caller));
  r.ask_for_scheduling();
  return done(what, "resumes as soon as its CPUs are free");
}

// Returns how a requeue ends the attempt. Slurm sends SIGCONT and SIGTERM, and SIGKILL after
// kill_wait. A job may requeue itself in the handler of its --signal, so a requeue never sends that
// signal a second time. Only a job with --checkpoint-signal is asked to save. If the job is saving
// already because it reached its time limit, it keeps its grace.
StopOrder requeue_order(const Cluster& cluster, const JobEntry& e, std::string detail) {
  const StopOrder& current = e.live_attempt()->stop;
  if (e.job.spec->checkpoint_signal == 0 ||
      (current.why == StopWhy::TimeLimit && !saves_at_limit(*e.job.spec)))
    return at_once(cluster, StopWhy::Requeue, std::move(detail));
  if (current.why == StopWhy::None)
    return stop_order_of_qos(cluster, e, StopWhy::Requeue, std::move(detail));
  StopOrder order = current;
  order.why = StopWhy::Requeue;
  order.detail = std::move(detail);
  return order;
}

// Returns whether the job is saving already because of a request to stop that requeues it anyway.
bool waits_again(const Job& job, const StopOrder& current, PreemptMode mode) {
  switch (current.why) {
    case StopWhy::Requeue: return current.ask_checkpoint;
    case StopWhy::Preempt:
      return current.ask_checkpoint && job.spec->requeue && mode != PreemptMode::Cancel;
    case StopWhy::Drain:
    case StopWhy::Migrate:
    case StopWhy::LeaseEnded: return current.ask_checkpoint && job.spec->requeue;
    default: return false;
  }
}

// Requeues a job that is being stopped. Such a request may come from the job itself: with --signal
// it may requeue itself after it has saved. Without --checkpoint-signal it is then ended at once.
// The reason of the first request to stop stays.
Acted::Outcome requeue_stopping(Reaction& r, const Caller& caller, const Job& job,
                                const StopOrder& current) {
  if (job.spec->checkpoint_signal == 0)
    stop_attempt(r, job.id, at_once(r.cluster(), current.why, current.detail), actor_of(caller));
  advance(r, job.id);
  return done(shown_id(job), "is already being stopped; it is requeued afterwards");
}

// Returns why a job that has ended cannot be requeued.
Failure check_requeue_ended(const Cluster& cluster, const Job& job, Now now) {
  const std::string who = "job " + shown_id(job);
  if (has_several_tasks(job))
    return Refusal{who + " has ended before any of these tasks had started", "submit them again"};
  if (job.spec->deadline != Wall{} && job.spec->deadline <= now.wall)
    return Refusal{"the --deadline of " + who + " has passed", "submit it again with another one"};
  // The jobs that it depended on may have left memory, or the dependency may have become
  // impossible.
  if (job.attempt.value == 0 && !job.spec->dependency.empty())
    return Refusal{who + " has dependencies and ended before it had started",
                   "submit it again with the --dependency that it is to have"};
  const JobEntry& entry = *cluster.job(job.id);
  if (job.attempt.value > 0 && entry.attempts.empty())
    return Refusal{who + " ended too long ago to be requeued",
                   "submit it again with --resume-from=" + std::to_string(job.id.value)};
  const ResumeSource from = source_now(cluster, *job.spec);
  if (from.job != JobId{} && entry.checkpoint_to_resume() == nullptr &&
      !find_checkpoint(cluster, from.job, from.step))
    return Refusal{"the checkpoint from which " + who + " starts was removed or is damaged",
                   "submit it again with another --resume-from"};
  if (!cluster.accounting().qos().contains(job.spec->qos))
    return Refusal{"the QOS " + quoted(job.spec->qos) + " of " + who + " no longer exists",
                   "submit it again with another --qos"};
  return std::nullopt;
}

// Returns the refusal for a job with --no-requeue. It applies to administrators too, as in
// slurm_requeue(3): ESLURM_DISABLED.
Refusal requeue_is_forbidden(const Job& job) {
  const std::string id = std::to_string(job.id.value);
  return {"job " + shown_id(job) + " may not be requeued (--no-requeue)",
          is_final(job.state) ? "submit it again; with --resume-from=" + id +
                                    " it resumes from its newest checkpoint, if it has one"
                              : "`scontrol update JobId=" + id + " Requeue=1` allows it"};
}

// Returns why the job cannot be requeued, in whichever state it is.
Failure check_requeue(const Cluster& cluster, const Job& job, Now now) {
  const std::string what = shown_id(job);
  if (job.spec->form == JobForm::Allocation)
    return Refusal{"job " + what + " is an allocation, which cannot be requeued",
                   is_final(job.state) ? "ask for a new one" : "`cox cancel " + what + "` ends it"};
  if (job.state != JobState::Pending && !job.spec->requeue) return requeue_is_forbidden(job);
  return is_final(job.state) ? check_requeue_ended(cluster, job, now) : std::nullopt;
}

// Requeues a job that has ended. As in Slurm, this works as long as the controller has the job in
// memory, for min_job_age. REQUIRES: check_requeue() accepts it.
Acted::Outcome requeue_ended(Reaction& r, const Caller& caller, const Job& job) {
  const std::string what = shown_id(job);
  look_again(r, job.id);
  const JobEntry& entry = *r.cluster().job(job.id);
  const std::string then = next_begin_text(r.cluster(), entry);
  const std::string why =
      "requeued by " + caller.user_name + (damaged_text(entry).empty() ? "" : "; " + then);
  r.move(job.id, Trigger::RequeuedAfterEnd, why, actor_of(caller), [&](Job& j) {
    j.exit_code = j.exit_signal = 0;
    j.eligible = std::max(j.eligible, r.now().wall + requeue_after_end_delay);
  });
  return done(what, "requeued; " + then);
}

Acted::Outcome stop_and_requeue(Reaction& r, const Caller& caller, const Job& job, StopWhy why) {
  const std::string what = shown_id(job);
  const bool is_requeue = why == StopWhy::Requeue;
  const Failure forbidden = check_requeue(r.cluster(), job, r.now());
  if (is_requeue && forbidden) return {what, "", *forbidden};
  if (is_final(job.state) && !is_requeue)
    return refuse(what, "job " + what + " has ended",
                  forbidden ? forbidden->hint : "`cox requeue " + what + "` queues it again");
  if (is_final(job.state)) return requeue_ended(r, caller, job);
  const JobEntry& entry = *r.cluster().job(job.id);
  const PreemptMode mode = r.cluster().accounting().qos_of(entry).preempt_mode;
  const std::string rule = preempt_rule_of(r.cluster(), entry);
  if (job.state == JobState::Pending && is_requeue && postpone_to_next_time(r, job.id))
    return done(what, "skips its next time; it waits until " +
                          moment_text(r.cluster().job(job.id)->job.eligible));
  if (job.state == JobState::Pending)
    return is_requeue
               ? done(what, "is already pending")
               : refuse(what, "job " + what + " is PENDING; only a running job can be preempted",
                        "see `cox why " + what + "`");
  const StopOrder current = entry.live_attempt()->stop;
  const bool overrules = is_requeue && current.why == StopWhy::TimeLimit && current.ask_checkpoint;
  if (is_requeue && waits_again(job, current, mode))
    return requeue_stopping(r, caller, job, current);
  if (current.why != StopWhy::None && !overrules)
    return refuse(what, "job " + what + " is being stopped: " + current.detail,
                  std::string(is_requeue ? "try again in a moment, when it has ended; " : "") +
                      "see `cox history " + command_id(job) + "`");
  if (why == StopWhy::Preempt && mode == PreemptMode::Off)
    return refuse(what, rule + " is never preempted", "use `cox requeue` or `cox cancel`");
  const std::string verb = is_requeue ? "requeued" : "preempted";
  const std::string detail = verb + " by " + caller.user_name;
  const StopOrder order = is_requeue ? requeue_order(r.cluster(), entry, detail)
                                     : stop_order_of_qos(r.cluster(), entry, why, detail);
  stop_attempt(r, job.id, order, actor_of(caller));
  advance(r, job.id);
  std::string then = "it is requeued afterwards";
  if (why == StopWhy::Preempt && !job.spec->requeue)
    then = "it has --no-requeue, so it ends as PREEMPTED";
  if (why == StopWhy::Preempt && mode == PreemptMode::Cancel)
    then = rule + " cancels jobs, so it ends as PREEMPTED";
  return done(what, (order.ask_checkpoint ? "asked to save and stop; " : "being stopped; ") + then);
}

Acted::Outcome requeue_held(Reaction& r, const Caller& caller, const Job& job) {
  Acted::Outcome outcome = job.state == JobState::Pending
                               ? done(shown_id(job), "held")
                               : stop_and_requeue(r, caller, job, StopWhy::Requeue);
  if (outcome.refused) return outcome;
  set_held(r, caller, job.id);
  if (job.state != JobState::Pending) outcome.done += ", held";
  return outcome;
}

// Requeues a job so that it resumes from its checkpoint of this step. A running attempt is not
// asked to save, since what it has computed since is not wanted.
Acted::Outcome requeue_from(Reaction& r, const Caller& caller, const Job& job, std::int64_t step) {
  const std::string what = shown_id(job);
  if (Failure why = check_requeue(r.cluster(), job, r.now())) return {what, "", std::move(*why)};
  const Attempt* live = r.cluster().job(job.id)->live_attempt();
  if (live != nullptr && live->stop.why != StopWhy::None)
    return refuse(what, "job " + what + " is being stopped: " + live->stop.detail,
                  "try again in a moment, when it has ended");
  if (Failure why = resume_next_from(r, job.id, step, actor_of(caller)))
    return {what, "", std::move(*why)};
  if (is_final(job.state)) return requeue_ended(r, caller, job);
  const std::string then = next_begin_text(r.cluster(), *r.cluster().job(job.id));
  r.ask_for_scheduling();
  if (live == nullptr) return done(what, then + (job.held ? "; it is held" : ""));
  Attempt unwanted = *r.cluster().job(job.id)->live_attempt();
  unwanted.saves_set_aside = true;
  r.put(std::move(unwanted));
  const std::string why = "requeued by " + caller.user_name + " from step " + std::to_string(step);
  stop_attempt(r, job.id, at_once(r.cluster(), StopWhy::Requeue, why), actor_of(caller));
  advance(r, job.id);
  return done(what, "being stopped; " + then);
}

Acted::Outcome cancel_with_line(Reaction& r, const Caller& caller, const Job& job) {
  const bool has_line = end_cron_line(r, job.id);
  Acted::Outcome outcome = cancel(r, caller, job);
  if (has_line) outcome.done += "; its crontab line is disabled";
  return outcome;
}

// Refuses to cancel a crontab job, as Slurm does with ScronParameters=enable,explicit_scancel.
Failure check_cancel(const Cluster& cluster, const Job& job) {
  if (cluster.crontabs().line_of(job.id) == nullptr) return std::nullopt;
  return Refusal{
      "Cannot cancel scrontab jobs without --cron flag.",
      "`scancel --cron " + shown_id(job) + "` cancels the job and disables its crontab line"};
}

bool runs_on(const Attempt& attempt, const std::string& node) {
  return std::ranges::any_of(attempt.nodes, [&](const AttemptNode& part) {
    return part.grant.node == node && part.phase != NodePhase::Gone;
  });
}

// Sets a node DOWN and ends its jobs, as Slurm does: they are requeued, or end in NODE_FAIL if
// submitted with --no-requeue. If the node does not respond, its jobs end only when its lease ends.
Acted::Outcome set_down(Reaction& r, const Caller& caller, const Node& known,
                        const std::string& reason) {
  Node down = known;
  down.drained = down.set_down = true;
  down.drained_by = DrainedBy::Person;
  down.reason = reason;
  down.reason_by = actor_of(caller);
  if (!(down == known)) {
    r.put(down);
    r.note_node(down.name, "down", reason, actor_of(caller));
  }
  std::int64_t jobs = 0;
  for (const JobId id : r.cluster().jobs().on_node(down.name)) {
    if (!runs_on(*r.cluster().job(id)->live_attempt(), down.name)) continue;
    ++jobs;
    const std::string why = "node " + down.name + " was set DOWN: " + reason;
    stop_attempt(r, id, at_once(r.cluster(), StopWhy::NodeLost, why), actor_of(caller));
    advance(r, id);
  }
  if (jobs == 0) return done(down.name, "down");
  std::string text = "down: " + counted(jobs, "job") + (jobs == 1 ? " is" : " are") + " ended";
  if (!down.responding)
    text += " when its lease ends; if it is powered off, `cox fence " + down.name +
            " --confirm` ends them now";
  return done(down.name, std::move(text));
}

// Resumes a node and clears its failures. If its worker reports it unfit, it stays drained.
Acted::Outcome resume_node(Reaction& r, const Caller& caller, const Node& known) {
  const bool was_kept_out = known.drained || known.set_down || !known.failures.empty();
  Node changed = known;
  changed.drained = changed.set_down = false;
  changed.drained_by = DrainedBy::Nobody;
  changed.reason_by.clear();
  changed.failures.clear();
  if (changed.responding) changed.reason.clear();
  if (!(changed == known)) {
    r.put(changed);
    r.note_node(known.name, "resumed", "", actor_of(caller));
  }
  update_avoided(r);
  const NodeContact live = r.cluster().soft().contact(known.name);
  if (!live.unfit.empty()) {
    drain_node(r, known.name, DrainedBy::HealthCheck, live.unfit, "node " + known.name);
    return done(known.name, "still drained by its health check: " + live.unfit);
  }
  if (live.ends_foreign)
    return done(known.name, "takes work again once its old attempts have ended");
  return done(known.name, was_kept_out ? "takes work again" : "was not drained");
}

}  // namespace

Acted::Outcome end_allocation(Reaction& r, const Caller& caller, const EndAllocation& ask) {
  const JobEntry* e = r.cluster().job(ask.id);
  const std::string what = std::to_string(ask.id.value);
  if (e == nullptr) return refuse(what, "there is no job " + what, "");
  const Job job = e->job;
  if (!may_act_on(r.cluster(), caller, job))
    return refuse(what, "job " + what + " belongs to " + job.spec->user_name, "");
  if (job.spec->form != JobForm::Allocation)
    return refuse(what, "job " + what + " is not an allocation: it ends by itself",
                  "`cox cancel " + what + "` ends it now");
  if (is_final(job.state) || job.state == JobState::Pending || e->live_attempt() == nullptr)
    return cancel(r, caller, job);
  if (e->live_attempt()->stop.why == StopWhy::None)
    r.edit(job.id, [&](Job& j) {
      j.exit_code = ask.exit_code;
      j.exit_signal = ask.exit_signal;
    });
  stop_attempt(r, job.id,
               at_once(r.cluster(), StopWhy::JobEnded, "given back by " + caller.user_name),
               actor_of(caller));
  advance(r, job.id);
  return done(what, "given back");
}

void set_hold(Job& job, bool held, Wall now) {
  // The time in which a job was held does not count as waiting, as in Slurm.
  if (job.held && !held && job.state == JobState::Pending)
    job.eligible = std::max(job.eligible, now);
  job.held = held;
  job.held_why.clear();
  if (!held) job.avoid_nodes.clear();
}

Acted::Outcome act_on_row(Reaction& r, const Caller& caller, const ActOnJobs& ask, JobId id) {
  const JobVerb verb = ask.verb;
  const Job job = r.cluster().job(id)->job;
  const std::string what = shown_id(job);
  if (!may_manage(r.cluster(), caller, job))
    return refuse(what, "job " + what + " belongs to " + job.spec->user_name, "");
  const bool holds = verb == JobVerb::Hold || verb == JobVerb::RequeueHold;
  Failure wrong = holds ? check_not_of_crontab(r.cluster(), id) : std::nullopt;
  if (verb == JobVerb::Cancel) wrong = check_cancel(r.cluster(), job);
  if (wrong) return {what, "", *std::move(wrong)};
  switch (verb) {
    case JobVerb::Cancel: return cancel(r, caller, job);
    case JobVerb::CancelCron: return cancel_with_line(r, caller, job);
    case JobVerb::Hold: return hold(r, caller, job, true);
    case JobVerb::Release: return hold(r, caller, job, false);
    case JobVerb::BeginAnew: return release_anew(r, caller, job);
    case JobVerb::Requeue: return stop_and_requeue(r, caller, job, StopWhy::Requeue);
    case JobVerb::Preempt: return stop_and_requeue(r, caller, job, StopWhy::Preempt);
    case JobVerb::RequeueHold: return requeue_held(r, caller, job);
    case JobVerb::RequeueFrom: return requeue_from(r, caller, job, ask.step);
    case JobVerb::Suspend: return suspend(r, caller, job);
    case JobVerb::Resume: return resume(r, caller, job);
  }
  CHECK(false && "unknown JobVerb");
}

Acted::Outcome act_on_node(Reaction& r, const Caller& caller, const ActOnNodes& act,
                           const std::string& node) {
  const Node* known = r.cluster().node(node);
  if (known == nullptr) {
    std::vector<std::string_view> names;
    for (const auto& [name, n] : r.cluster().nodes().all()) names.push_back(name);
    const std::string suggestion = did_you_mean(node, names);
    return refuse(node, "there is no node " + quoted(node),
                  suggestion.empty() ? "`cox nodes` lists them" : suggestion);
  }
  if (caller.uid != r.cluster().config().owner_uid) return {node, "", only_for_owner()};
  if (act.fence) return fence_node(r, caller, *known);
  if (act.drain && act.reason.empty())
    return refuse(node, "a drain needs a reason", "cox drain " + node + " --reason 'bad fan'");
  if (act.reason.size() > limits::reason_bytes_max || !is_utf8(act.reason) ||
      has_control_characters(act.reason))
    return refuse(node,
                  "the reason is longer than " + std::to_string(limits::reason_bytes_max) +
                      " bytes, or not printable",
                  "make it plain and shorter");
  if (!act.drain) return resume_node(r, caller, *known);
  if (act.set_down) return set_down(r, caller, *known, act.reason);
  drain_node(r, node, DrainedBy::Person, act.reason, actor_of(caller));
  const std::int64_t jobs = std::ssize(r.cluster().jobs().on_node(node));
  if (jobs == 0) return done(node, "drained");
  return done(node,
              "draining: " + counted(jobs, "job") + (jobs == 1 ? " still runs" : " still run"));
}

}  // namespace cox
