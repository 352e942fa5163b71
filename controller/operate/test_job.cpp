#include "controller/operate/test_job.h"

#include <algorithm>
#include <cmath>

#include "controller/admit/admit.h"
#include "controller/admit/dependencies.h"
#include "controller/admit/submit_ruling.h"
#include "controller/attempt/attempt.h"
#include "controller/change/payload.h"
#include "controller/feed/engine_input.h"
#include "controller/ledger/resume.h"
#include "controller/operate/submit.h"
#include "controller/scheduling/ineligible.h"
#include "schedule/explain/explain_text.h"

namespace cox {
namespace {

// Returns the job as it would be added, with the next id. For an array, only its first task.
JobEntry entry_of(const Cluster& cluster, ParsedSpec spec, Dependent waits, Now now) {
  JobEntry entry;
  entry.job.id = cluster.jobs().next_id();
  entry.job.held = spec.hold;
  entry.job.spec = std::move(spec);
  entry.job.submitted = now.wall;
  entry.job.eligible = waits.eligible;
  entry.job.dependencies = std::move(waits.dependencies);
  return entry;
}

// Returns the reply if the job would not be eligible, so that no scheduling pass would consider it;
// nullopt: it would. A hold that the job requests (--hold) is ignored.
std::optional<JobTested> not_yet(const Cluster& cluster, const Job& job, Now now) {
  Job free = job;
  free.held = false;
  const auto ineligible = why_ineligible(cluster, free, now);
  if (!ineligible) return std::nullopt;
  JobTested tested;
  tested.view.job = job;
  tested.view.partition = job.spec->partition;
  tested.view.reason = ineligible->reason;
  tested.view.reason_detail = ineligible->detail;
  tested.why = {ineligible->detail};
  if (ineligible->until) tested.view.expected_start = *ineligible->until;
  return tested;
}

void add_start(JobTested& tested, const schedule::Start& start, Now now) {
  tested.starts_now = true;
  tested.view.expected_start = now.wall;
  for (const NodeGrant& grant : start.placement) tested.view.nodes.push_back(grant.node);
}

void add_wait(JobTested& tested, const schedule::PendingExplanation& waiting, Now now) {
  tested.view.reason = waiting.reason;
  tested.view.reason_detail = waiting.detail;
  tested.view.at_the_earliest = waiting.at_the_earliest;
  tested.view.nodes = waiting.nodes;
  tested.why = waiting.lines;
  if (!waiting.expected_start) return;
  const Wall expected = now.wall + (*waiting.expected_start - now.boot);
  const std::string late = too_late_text(*tested.view.job.spec, expected);
  if (late.empty()) {
    tested.view.expected_start = expected;
  } else {
    tested.why.push_back(late);
  }
}

// Returns, as text, what would happen to the victim of a preemption.
std::string end_text(const Cluster& cluster, const schedule::Preemption& p) {
  if (p.suspends) return "is suspended until its CPUs are free again";
  const JobSpec& spec = *cluster.job(p.victim)->job.spec;
  const Qos& qos = cluster.accounting().qos_of(*cluster.job(p.victim));
  const bool requeued = spec.requeue && qos.preempt_mode != PreemptMode::Cancel;
  std::string text = "is stopped without being asked to save";
  if (qos.requests_save())
    text = "is asked to save within " + schedule::duration_text(Milliseconds{qos.grace_ms}) +
           " and stopped";
  if (!requeued) return text + ", and ends: it is not requeued";
  if (p.continues_on_nodes)
    return text + ", and continues on " + schedule::count_of(*p.continues_on_nodes, "node");
  return text + ", and is requeued" + (qos.requests_save() ? "" : "; its unsaved work is lost");
}

// Returns when the nodes for the tested job are free at the latest: the jobs that it would preempt,
// and jobs that are already stopping there, have ended.
Boot free_by(const Cluster& cluster, const schedule::Plan& plan, const JobTested& tested, Now now) {
  Boot latest = now.boot;
  for (const auto& p : plan.preemptions) {
    if (p.preemptor != tested.view.job.id || p.suspends) continue;
    const StopOrder order =
        stop_order_of_qos(cluster, *cluster.job(p.victim), StopWhy::Preempt, "");
    latest = std::max(latest, now.boot + Milliseconds{order.grace_ms + order.kill_wait_ms});
  }
  for (const std::string& node : tested.view.nodes)
    for (const JobId id : cluster.jobs().on_node(node)) {
      const schedule::RunningJob running = running_job(cluster, *cluster.job(id), now);
      if (running.stopping && running.ends_by) latest = std::max(latest, *running.ends_by);
    }
  return latest;
}

void add_victims(JobTested& tested, const Cluster& cluster, const schedule::Plan& plan, Now now) {
  double loss = 0;
  for (const auto& p : plan.preemptions) {
    if (p.preemptor != tested.view.job.id) continue;
    tested.preempted_jobs.push_back(p.victim);
    tested.why.push_back(schedule::job_text(p.victim, titles_of(cluster)) + " " +
                         end_text(cluster, p));
    loss += p.loss_unit_seconds;
  }
  tested.loss_unit_seconds = std::llround(loss);
  if (tested.preempted_jobs.empty()) return;
  tested.view.expected_start = now.wall + (free_by(cluster, plan, tested, now) - now.boot);
  tested.at_the_latest = true;
}

// Replies with the effect of the submission rules on the tested job, whether they refuse it or not.
void answer_rules(Reaction& r, const PeerMessage& incoming, std::int64_t number,
                  const SubmitRuling& ruling) {
  if (ruling.waits) return;
  if (incoming.caller.uid != r.cluster().config().owner_uid)
    return r.reply(incoming.peer, number,
                   Refused{{"only administrators can test the submission rules",
                            "sbatch --test-only applies them to one of your jobs"}});
  JobTested tested;
  tested.view.job.spec = ParsedSpec(ruling.specs.front());
  tested.rules = ruling.lines;
  tested.refused = ruling.refused;
  r.reply(incoming.peer, number, std::move(tested));
}

}  // namespace

void on_test(Reaction& r, const PeerMessage& incoming, std::int64_t number, const TestJob& test) {
  const PeerName& peer = incoming.peer;
  const SubmitRuling ruling =
      rule_submission(r, incoming, number, {&test.spec, 1}, test.script, true);
  if (test.rules_only) return answer_rules(r, incoming, number, ruling);
  if (!may_continue(r, incoming, number, ruling)) return;
  const JobSpec& asked = ruling.specs.front();
  const std::int64_t tasks = tasks_asked(asked.array);
  if (auto f = check_array_size(r.cluster(), tasks)) return r.reply(peer, number, Refused{*f});
  if (auto f = check_request(r.cluster(), "", tasks)) return r.reply(peer, number, Refused{*f});
  if (recall_dependencies(r, incoming, number, ruling.specs)) return;
  const Payload payload(test.script, test.environment, incoming.caller.uid);
  auto spec = Admission(r.cluster(), r.feed(), incoming.caller, payload, r.now()).admit(asked);
  if (!spec) return r.reply(peer, number, Refused{spec.refusal()});
  if (auto f = resolve_resume(r.cluster(), *spec)) return r.reply(peer, number, Refused{*f});
  for (const Qos* qos : r.cluster().accounting().qos_binding(*spec))
    if (auto f = check_submit_limits(*qos, r.cluster().accounting().limits_in_use(), *spec, tasks))
      return r.reply(peer, number, Refused{*f});
  std::map<AssociationId, std::int64_t> more;
  count_submitted(more, r.cluster().accounting().accounts(), *spec, tasks);
  if (auto f = check_submit_limits(r.cluster().accounting().accounts(),
                                   r.cluster().accounting().limits_in_use(), *spec, more))
    return r.reply(peer, number, Refused{*f});
  auto waits = dependent(r.cluster(), *spec, incoming.recalled, r.now());
  if (!waits) return r.reply(peer, number, Refused{waits.refusal()});
  const JobEntry entry = entry_of(r.cluster(), std::move(*spec), std::move(*waits), r.now());
  if (auto tested = not_yet(r.cluster(), entry.job, r.now())) {
    tested->rules = ruling.lines;
    return r.reply(peer, number, std::move(*tested));
  }
  const JobId id = entry.job.id;
  // Called before scheduler(), which charges the limits: this call may add limits that no other job
  // counts against yet.
  const schedule::PendingJob asks = pending_job(r.cluster(), entry);
  const schedule::Plan plan = r.scheduler().plan_with(asks, r.now(), titles_of(r.cluster()),
                                                      limits_named_by(r.cluster(), r.now().wall));
  JobTested tested;
  tested.rules = ruling.lines;
  tested.view.job = entry.job;
  tested.view.partition = entry.job.spec->partition;
  for (const auto& start : plan.starts)
    if (start.job == id) add_start(tested, start, r.now());
  for (const auto& waiting : plan.waiting)
    if (waiting.job == id) add_wait(tested, waiting, r.now());
  add_victims(tested, r.cluster(), plan, r.now());
  r.reply(peer, number, std::move(tested));
}

}  // namespace cox
