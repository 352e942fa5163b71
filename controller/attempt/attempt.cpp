#include "controller/attempt/attempt.h"

// Drives an attempt through three transitions: when all nodes are prepared, the Go; when ranks
// exit, the end of the gang; when nothing is left on any node, the job's end or requeue.
#include <algorithm>

#include "common/base/check.h"
#include "common/job/save_words.h"
#include "controller/admit/cron.h"
#include "controller/attempt/ended.h"
#include "controller/attempt/react_health.h"
#include "controller/attempt/saves.h"
#include "controller/attempt/steps.h"
#include "controller/attempt/suspend.h"
#include "controller/change/recovery.h"
#include "controller/job/requeue.h"
#include "controller/ledger/checkpoints.h"
#include "controller/ledger/lost_attempts.h"
#include "controller/ledger/lost_save.h"
#include "controller/ledger/outcome.h"
#include "controller/ledger/parallel_saves.h"
#include "controller/ledger/resume.h"
#include "controller/ledger/site_runs.h"
#include "controller/state/node_health.h"

namespace cox {
namespace {

std::string address_of(const Cluster& cluster, const std::string& name) {
  const Node* node = cluster.node(name);
  return node == nullptr ? "" : node->address;
}

// Returns the names of the node's switches from the top down, then the node's: "s0.s2.n7".
std::string topology_address(const Cluster& cluster, const std::string& node) {
  const auto domains = cluster.config().domains.find(node);
  if (domains == cluster.config().domains.end()) return "";
  std::string address;
  for (const std::string& domain : domains->second) address += domain + ".";
  return address + node;
}

LaunchSpec launch_spec(const Cluster& cluster, const JobEntry& e, std::int32_t node_index) {
  const Attempt& attempt = *e.live_attempt();
  LaunchSpec launch;
  launch.key = attempt.key;
  launch.spec = *e.job.spec;
  launch.spec.time_limit_s = e.time_limit_s();
  if (!attempt.partition.empty()) launch.spec.partition = attempt.partition;
  for (const auto& n : attempt.nodes)
    launch.nodes.push_back({n.grant, address_of(cluster, n.grant.node)});
  launch.node_index = node_index;
  launch.cluster_name = cluster.config().cluster_name;
  launch.job_checkpoint_dir = checkpoint_dir_of(cluster, e.job.id, e.job.identity);
  launch.job_identity = e.job.identity;
  launch.resume = attempt.resume;
  if (attempt.resume && attempt.resume->job != JobId{}) {
    const ResumeSource& from = e.job.spec->resume_from;
    launch.resume_job_dir = checkpoint_dir_of(cluster, from.job, from.identity);
    launch.resume_identity = from.identity;
    launch.resume_ranks = from.ranks;
  }
  for (const Attempt& earlier : e.attempts)
    if (attempt.resume && attempt.resume->job == JobId{} &&
        earlier.key.attempt == attempt.resume->attempt)
      launch.resume_ranks = all_ranks(*e.job.spec, earlier.nodes);
  const auto ran = [](const Attempt& a) { return a.went != Wall{}; };
  launch.array_job = e.job.array_job;
  launch.array_task = e.job.array_task;
  launch.restarts = static_cast<std::int32_t>(std::ranges::count_if(e.attempts, ran));
  launch.submitted = e.job.submitted;
  launch.lease_ms = cluster.config().lease.count();
  launch.node_timeout_ms = cluster.config().node_timeout.count();
  launch.lease_grace_ms = cluster.config().lease_grace.count();
  launch.kill_wait_ms = cluster.config().kill_wait.count();
  launch.unkillable_ms = cluster.config().unkillable_step_timeout.count();
  launch.log_bytes_max = cluster.config().log_size_max_mb << 20;
  const std::string& here = attempt.nodes[static_cast<std::size_t>(node_index)].grant.node;
  if (const Node* node = cluster.node(here)) launch.node_gpus = node->total.gpus;
  launch.topology_addr = topology_address(cluster, here);
  return launch;
}

GoOrder go_order(const Cluster& cluster, const Attempt& attempt) {
  return {address_of(cluster, attempt.nodes.front().grant.node), attempt.master_port, attempt.went};
}

bool all_nodes(const Attempt& a, NodePhase phase) {
  return std::ranges::all_of(a.nodes, [&](const AttemptNode& n) { return n.phase == phase; });
}

bool all_ranks_exited(const Attempt& a) {
  return std::ranges::all_of(a.ranks,
                             [](const RankStatus& r) { return r.phase == RankPhase::Exited; });
}

// Sends the Go to all nodes. REQUIRES: all are ready. No user code of a gang runs before this.
void go(Reaction& r, const JobEntry& e) {
  Attempt attempt = *e.live_attempt();
  attempt.went = r.moment_of(e.job.id);
  r.put(attempt);
  // The Go is sent before the steps that begin_running() starts: a node accepts no step without it.
  for (const auto& n : attempt.nodes)
    r.send_to_node(n.grant.node,
                   Go{r.cluster().term(), attempt.key, go_order(r.cluster(), attempt)});
  begin_running(r, e.job.id);
}

// Returns ": " and the note of the rank's node, for people, such as a command that is not found;
// "" if the node has sent none.
std::string cause_of(const Attempt& attempt, std::int32_t rank) {
  for (const auto& n : attempt.nodes) {
    const auto own = rank - n.grant.first_rank;
    if (own >= 0 && own < n.grant.ranks && !n.note.empty()) return ": " + n.note;
  }
  return "";
}

// Returns whether the ranks of the attempt were to save. For a batch script, its tasks do that; the
// script itself is ended by SIGTERM once they have left.
bool must_save(const JobEntry& e, const Attempt& attempt) {
  const auto is_of_attempt = [&](const Step& step) { return step.key.attempt == attempt.key; };
  const JobSpec& spec = *e.job.spec;
  if (spec.form == JobForm::Batch && std::ranges::any_of(e.steps, is_of_attempt)) return false;
  return spec.checkpoint_signal != 0 || spec.signal.number != 0;
}

// Stops the gang if a rank has failed, or if all ranks have exited. If the attempt is stopping
// already, a failed rank only ends the wait for a checkpoint that can no longer become complete.
void act_on_exits(Reaction& r, JobId id) {
  const JobEntry& e = *r.cluster().job(id);
  const Attempt attempt = *e.live_attempt();
  const RankStatus* failed = first_failed(*e.job.spec, attempt);
  if (failed != nullptr && attempt.stop.why == StopWhy::None) {
    StopOrder stop{StopWhy::RankFailed, false, 0, r.cluster().config().kill_wait.count(),
                   failure_text(*failed) + cause_of(attempt, failed->rank)};
    if (const auto fault = folder_fault_of(r.cluster(), attempt)) {
      stop.why = StopWhy::NodeLost;
      stop.detail = *fault + "; " + stop.detail;
    } else {
      r.edit(id, [&](Job& job) {
        job.exit_code = failed->exit_code;
        job.exit_signal = failed->exit_signal;
      });
    }
    stop_attempt(r, id, stop, "controller");
    return;
  }
  if (failed != nullptr && attempt.stop.ask_checkpoint &&
      std::ranges::none_of(failed->saved, &SavedStep::after_stop) &&
      (e.job.spec->checkpoint_by == CheckpointBy::AllRanks || failed->rank == 0)) {
    StopOrder now = attempt.stop;
    now.ask_checkpoint = false;
    now.grace_ms = 0;
    r.note(id, "stop",
           exit_text(*failed) +
               (must_save(e, attempt) ? " before it saved, so the checkpoint cannot complete" : ""),
           "controller");
    stop_attempt(r, id, now, "controller");
    return;
  }
  // A Stop that overtakes the Go leaves ranks that never run; then it is enough that all nodes are
  // Gone. An allocation has no ranks and ends when its client says so.
  const bool exited = e.job.spec->form != JobForm::Allocation && all_ranks_exited(attempt);
  if (!exited && !all_nodes(attempt, NodePhase::Gone)) return;
  const JobState state = r.cluster().job(id)->job.state;
  if (attempt.stop.why == StopWhy::None) {
    stop_attempt(r, id,
                 {StopWhy::JobEnded, false, 0, r.cluster().config().kill_wait.count(),
                  "all ranks have exited"},
                 "controller");
  } else if (state == JobState::Signaling) {
    r.move(id, Trigger::EndBegan, "all ranks have exited", "controller");
  }
}

// Ends the script of a batch job on several nodes when its steps have ended that were asked to stop
// with the attempt. (If the job has one node, its supervisor does this earlier, see
// Supervision::stop_script_after_steps.) A script that asked for the signal itself runs on.
void end_script_after_steps(Reaction& r, JobId id) {
  const JobEntry& e = *r.cluster().job(id);
  const Attempt& attempt = *e.live_attempt();
  const JobSpec& spec = *e.job.spec;
  StopOrder stop = attempt.stop;
  if (spec.form != JobForm::Batch || attempt.nodes.size() == 1 || !stop.ask_checkpoint) return;
  const bool script_only = asks_by_signal(spec, stop.why) && spec.signal.batch_only;
  if (script_only || is_only_warned(spec, stop.why) || all_ranks_exited(attempt)) return;
  const auto was_asked = [&](const Step& step) {
    return step.key.attempt == attempt.key && step.started != Wall{} &&
           step.started <= attempt.stop_asked && step.ended >= attempt.stop_asked;
  };
  const auto has_ended = [](const Step& step) { return is_final(step.state); };
  if (!std::ranges::all_of(e.steps, has_ended) || std::ranges::none_of(e.steps, was_asked)) return;
  // Only to the script's node, and not kept: the attempt was asked to save. It is sent again with
  // each report until the script has ended; if it is lost, the script runs on to the end of the
  // grace.
  stop.ask_checkpoint = false;
  stop.grace_ms = 0;
  r.send_to_node(attempt.nodes.front().grant.node, Stop{r.cluster().term(), attempt.key, stop});
}

// Returns when the last rank ended, by its node's clock, since the controller may have received the
// report much later. Clocks differ, so the result is kept between the attempt's start and `now`.
Wall end_of(const Attempt& attempt, Wall now) {
  const auto exited = [](const RankStatus& r) {
    return r.phase == RankPhase::Exited && r.ended != Wall{};
  };
  if (attempt.ranks.empty() || attempt.went == Wall{}) return now;
  if (!std::ranges::all_of(attempt.ranks, exited)) return now;
  const Wall last = std::ranges::max(attempt.ranks, {}, &RankStatus::ended).ended;
  return std::clamp(last, std::min(attempt.went, now), now);
}

void note_lost_save(Reaction& r, JobId id, Attempt& attempt) {
  const auto lost = lost_save_text(*r.cluster().job(id), attempt,
                                   r.cluster().accounting().qos_of(*r.cluster().job(id)));
  if (!lost) return;
  attempt.outcome += "; " + *lost;
  r.note(id, "lost_save", *lost, "controller");
}

bool may_have_asked_to_save(StopWhy why) {
  return why == StopWhy::TimeLimit || why == StopWhy::Deadline || why == StopWhy::Preempt ||
         why == StopWhy::Drain || why == StopWhy::Migrate;
}

// Returns "; rank 0 was ended by signal 10, for which it has no handler" if that is the signal by
// which the job is asked to save; otherwise "".
std::string no_handler_text(const JobSpec& spec, const Attempt& attempt) {
  const RankStatus* failed = first_failed(spec, attempt);
  if (failed == nullptr || failed->exit_signal == 0) return "";
  const bool is_chosen =
      failed->exit_signal == spec.signal.number || failed->exit_signal == spec.checkpoint_signal;
  if (!is_chosen || !may_have_asked_to_save(attempt.stop.why)) return "";
  return "; " + exit_text(*failed) + ", for which it has no handler";
}

// Holds a job that was just requeued, or delays it, if its attempts make no progress.
void slow_down_requeue(Reaction& r, JobId id) {
  const JobEntry& entry = *r.cluster().job(id);
  const ControllerConfig& config = r.cluster().config();
  if (!is_held_by_requeues(entry, config)) {
    r.set_retry_after(id, retry_after_of(entry, config, r.now()));
    return;
  }
  if (entry.job.held) return;
  const std::string why = std::to_string(attempts_without_progress(entry, config)) +
                          " attempts in a row ended without a new checkpoint, the last: " +
                          entry.attempts.back().outcome;
  r.edit(id, [&](Job& job) {
    job.held = true;
    job.held_why = why;
  });
  r.note(id, "hold", why, "controller");
}

// Ends the attempt, and ends or requeues the job. REQUIRES: nothing of the attempt is left on any
// node.
void conclude(Reaction& r, JobId id) {
  const JobEntry& e = *r.cluster().job(id);
  Attempt attempt = *e.live_attempt();
  const PreemptMode mode = r.cluster().accounting().qos_of(e).preempt_mode;
  const Outcome outcome = outcome_of(e.job, attempt, mode, {e.checkpoints, e.steps});
  end_steps(r, id);
  attempt.ended = end_of(attempt, r.moment_of(id));
  const std::string why = outcome.why + no_handler_text(*e.job.spec, attempt);
  attempt.outcome = why;
  if (outcome.trigger != Trigger::EndedCompleted && outcome.trigger != Trigger::EndedCancelled)
    note_lost_save(r, id, attempt);
  r.put(attempt);
  set_failing_checkpoint_aside(r, id);
  const auto set_exit = [&](Job& job) {
    job.exit_code = outcome.exit_code;
    job.exit_signal = outcome.exit_signal;
    if (outcome.trigger != Trigger::Requeued) job.ended = attempt.ended;
  };
  if (outcome.trigger == Trigger::Requeued)
    r.move(id, outcome.trigger, why, "controller", set_exit);
  else
    end_job(r, id, outcome.trigger, why, "controller", set_exit);
  ask_for_epilog(r, attempt, outcome);
  remove_empty_folder(r, attempt);
  if (outcome.trigger != Trigger::Requeued) return;
  if (!never_started(attempt) || !hold_unlaunchable(r, id, attempt)) slow_down_requeue(r, id);
  hold_for_parallel_saves(r, id);
  // A crontab job that a user requeues waits for its next time, as in Slurm.
  if (attempt.stop.why == StopWhy::Requeue) postpone_to_next_time(r, id);
}

Trigger stop_trigger(JobState state, const StopOrder& order) {
  if (state == JobState::Configuring && order.why == StopWhy::LaunchUndone)
    return Trigger::LaunchUndone;
  const bool runs = state == JobState::Running || state == JobState::Suspended;
  return runs && order.ask_checkpoint ? Trigger::StopAsked : Trigger::EndBegan;
}

// Returns whether it is already decided that the job ends with this attempt, so that a cancel no
// longer changes the outcome. Ranks that saved and exited with 75 ask for a requeue; a cancel still
// overrides that.
bool outcome_is_settled(const JobEntry& e, const Attempt& attempt, PreemptMode mode) {
  const StopWhy why = attempt.stop.why;
  const bool by_exits =
      why == StopWhy::JobEnded || why == StopWhy::RankFailed || why == StopWhy::OutOfMemory;
  if (by_exits)
    return outcome_of(e.job, attempt, mode, {e.checkpoints, e.steps}).trigger != Trigger::Requeued;
  return why == StopWhy::Cancel;
}

}  // namespace

bool is_failed_gang(const Attempt& attempt) {
  return attempt.stop.why == StopWhy::RankFailed && attempt.nodes.size() > 1;
}

void excuse_failed_gang(Reaction& r, JobId id) {
  const Attempt& attempt = *r.cluster().job(id)->live_attempt();
  if (!is_failed_gang(attempt)) return;
  const auto fault = node_fault_of(r.cluster(), attempt, r.now().boot);
  if (!fault) return;
  stop_attempt(r, id, {StopWhy::NodeLost, false, 0, r.cluster().config().kill_wait.count(), *fault},
               "controller");
}

void begin_running(Reaction& r, JobId id) {
  const JobEntry& e = *r.cluster().job(id);
  const Attempt& attempt = *e.live_attempt();
  const auto ran = [](const Attempt& a) { return a.went != Wall{}; };
  const auto earlier = std::ranges::count_if(e.attempts, ran) - 1;
  const std::size_t count = attempt.nodes.size();
  std::string why =
      count == 1 ? "its node is ready" : "all " + std::to_string(count) + " nodes are ready";
  if (attempt.resume) why += "; it resumes from " + source_text(*attempt.resume);
  const bool is_own = attempt.resume && attempt.resume->job == JobId{};
  const std::string damaged = is_own ? skipped_text(e, attempt.resume->step) : "";
  if (!damaged.empty()) why += ", because " + damaged;
  r.move(id, Trigger::GangReady, why, "controller", [&](Job& job) {
    job.started = attempt.went;
    job.restarts = static_cast<std::int32_t>(earlier);
    job.avoid_nodes.clear();
  });
  note_verified(r, *r.cluster().job(id)->live_attempt());
  start_steps(r, id);
}

void advance(Reaction& r, JobId id) {
  const JobEntry* e = r.cluster().job(id);
  CHECK(e != nullptr && e->live_attempt() != nullptr);
  if (e->job.state == JobState::Configuring) {
    if (all_nodes(*e->live_attempt(), NodePhase::Ready)) go(r, *e);
    return;
  }
  if (e->live_attempt()->went != Wall{}) {
    commit_saves(r, *r.cluster().job(id)->live_attempt());
    act_on_exits(r, id);
    end_script_after_steps(r, id);
    excuse_failed_gang(r, id);
  }
  const JobEntry& now = *r.cluster().job(id);
  if (now.job.state != JobState::Completing || !all_nodes(*now.live_attempt(), NodePhase::Gone))
    return;
  const bool settles =
      is_failed_gang(*now.live_attempt()) && r.now().boot < r.cluster().deadlines().of(id).settle;
  if (!settles) conclude(r, id);
}

StopOrder stop_order_of_qos(const Cluster& cluster, const JobEntry& e, StopWhy why,
                            std::string detail) {
  const Qos& qos = cluster.accounting().qos_of(e);
  const std::int64_t kill_wait_ms = cluster.config().kill_wait.count();
  if (qos.requests_save()) return {why, true, qos.grace_ms, kill_wait_ms, std::move(detail)};
  // PreemptMode off and checkpoint get here only if the QOS has no grace time.
  return {why, false, 0, qos.grace_ms > 0 ? qos.grace_ms : kill_wait_ms, std::move(detail)};
}

void stop_attempt(Reaction& r, JobId id, StopOrder order, const std::string& actor) {
  const JobEntry& e = *r.cluster().job(id);
  CHECK(e.live_attempt() != nullptr);
  Attempt attempt = *e.live_attempt();
  const StopOrder& current = attempt.stop;
  const PreemptMode mode = r.cluster().accounting().qos_of(e).preempt_mode;
  const bool is_requeue = order.why == StopWhy::Requeue && current.why == StopWhy::TimeLimit;
  const bool excuses = order.why == StopWhy::NodeLost && is_failed_gang(attempt);
  const bool overrules = is_requeue || excuses ||
                         (order.why == StopWhy::Cancel && !outcome_is_settled(e, attempt, mode));
  if (!overrules && !stronger(order, current)) return;
  if (excuses) order.detail += "; " + current.detail;
  // The first request to stop decides what the end means. Three later ones override it: a cancel; a
  // requeue by a job that was warned of its time limit; and a lost node, since it may be the cause
  // of a rank's failure.
  if (current.why != StopWhy::None && !overrules) {
    const bool is_fault = order.why == StopWhy::NodeLost || order.why == StopWhy::OutOfMemory;
    order.why = current.why;
    order.detail = is_fault ? cut_short_text(current.detail, order.detail) : current.detail;
  }
  // An attempt that no node has received ends at once.
  if (is_unsent(r.cluster(), attempt))
    for (AttemptNode& n : attempt.nodes) n.phase = NodePhase::Gone;
  attempt.stop = order;
  if (attempt.stop_asked == Wall{}) attempt.stop_asked = r.moment_of(id);
  r.put(attempt);
  const JobState state = e.job.state;
  const bool to_signaling = state == JobState::Signaling && order.ask_checkpoint;
  if (state == JobState::Completing || to_signaling) {
    r.note(id, "stop", std::string(name(order.why)) + ": " + order.detail, actor);
  } else {
    r.move(id, stop_trigger(state, order), order.detail, actor);
  }
  for (const auto& n : attempt.nodes)
    if (n.phase != NodePhase::Gone)
      r.send_to_node(n.grant.node, Stop{r.cluster().term(), attempt.key, order});
}

void avoid_node(Reaction& r, JobId id, const std::string& node) {
  r.edit(id, [&](Job& job) {
    if (std::ranges::find(job.avoid_nodes, node) == job.avoid_nodes.end())
      job.avoid_nodes.change().push_back(node);
  });
}

void end_lost_part(Reaction& r, JobId id, const std::string& node, const Emptied& proof) {
  const std::string& why = proof.text();
  Attempt attempt = *r.cluster().job(id)->live_attempt();
  for (auto& n : attempt.nodes) {
    if (n.grant.node != node) continue;
    n.phase = NodePhase::Gone;
    const std::string refused = refused_beside_in(n.note);  // hold_for_parallel_saves() needs it
    n.note = why + (refused.empty() ? "" : "; " + refused);
  }
  const bool launching = attempt.went == Wall{};
  const bool is_unrecorded = may_have_run_unrecorded(r.cluster(), attempt);
  // If the attempt may have run without a report reaching us, it is treated as one that has run.
  if (launching && may_have_run(r.cluster(), attempt)) attempt.went = attempt.began;
  r.put(attempt);
  r.note(id, "node", why, "controller");
  if (launching && !is_unrecorded) avoid_node(r, id, node);
  stop_attempt(r, id,
               {attempt.went == Wall{} ? StopWhy::LaunchUndone : StopWhy::NodeLost, false, 0,
                r.cluster().config().kill_wait.count(), why},
               "controller");
  advance(r, id);
}

void remind(Reaction& r, JobId id, const AttemptNode& node, NodePhase phase_there,
            std::int64_t suspension_there) {
  const Attempt& attempt = *r.cluster().job(id)->live_attempt();
  if (attempt.stop.why != StopWhy::None) {
    // Sent even to a node that is stopping already, since the order may have become stronger since.
    if (phase_there != NodePhase::Gone)
      r.send_to_node(node.grant.node, Stop{r.cluster().term(), attempt.key, attempt.stop});
    return;
  }
  if (attempt.went != Wall{} && phase_there == NodePhase::Ready)
    r.send_to_node(node.grant.node,
                   Go{r.cluster().term(), attempt.key, go_order(r.cluster(), attempt)});
  if (phase_there == NodePhase::Running && suspension_there > attempt.suspension.number)
    repeat_suspension(r, id, suspension_there);
  else if (phase_there == NodePhase::Running && suspension_there < attempt.suspension.number)
    r.send_to_node(node.grant.node, Suspend{r.cluster().term(), attempt.key, attempt.suspension});
  if (phase_there == NodePhase::Running) remind_of_steps(r, id, node.grant.node);
}

void resend_to_node(Reaction& r, JobId id, const std::string& node) {
  const JobEntry& e = *r.cluster().job(id);
  if (awaits_prolog(r.cluster(), e)) return;
  const auto& nodes = e.live_attempt()->nodes;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (nodes[i].grant.node != node) continue;
    const NodeContact& live = r.cluster().soft().contact(node);
    r.send_to_node(
        node, Prepare{r.cluster().term(), launch_spec(r.cluster(), e, static_cast<std::int32_t>(i)),
                      live.session, live.number});
  }
}

}  // namespace cox
