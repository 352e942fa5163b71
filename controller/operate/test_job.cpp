#include "controller/operate/test_job.h"

// A job that is only asked about: admitted as a submission, judged by a pass as if it stood in
// line, and gone again.
#include <algorithm>
#include <cmath>

#include "common/syntax/array_tasks.h"
#include "controller/admit/admit.h"
#include "controller/admit/dependencies.h"
#include "controller/admit/submit_ruling.h"
#include "controller/attempt/attempt.h"
#include "controller/change/payload.h"
#include "controller/ledger/checkpoints.h"
#include "controller/operate/submit.h"
#include "controller/scheduling/ineligible.h"
#include "controller/state/engine_input.h"
#include "schedule/explain/explain_text.h"

namespace cox {
namespace {

// As it would be added, with the id it would have. Of an array: its first task alone.
JobEntry entry_of(const Cluster& cluster, JobSpec spec, Dependent waits, Now now) {
  JobEntry entry;
  entry.job.id = cluster.next_job();
  entry.job.held = spec.hold;
  entry.job.spec = Shared<JobSpec>(std::move(spec));
  entry.job.submitted = now.wall;
  entry.job.eligible = waits.eligible;
  entry.job.dependencies = std::move(waits.dependencies);
  if (const Association* own = cluster.accounts().of(*entry.job.spec)) entry.association = own->id;
  prioritise(cluster, entry);
  entry.limits = cluster.limits_of(entry);
  return entry;
}

// Before it could stand in line no pass would judge it. Who is to be held is asked about as if not.
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

void tell_start(JobTested& tested, const schedule::Start& start, Now now) {
  tested.starts_now = true;
  tested.view.expected_start = now.wall;
  for (const NodeGrant& grant : start.placement) tested.view.nodes.push_back(grant.node);
}

void tell_wait(JobTested& tested, const schedule::PendingExplanation& waiting, Now now) {
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

// What becomes of a job that gives way.
std::string end_text(const Cluster& cluster, const schedule::Preemption& p) {
  if (p.suspends) return "stands still where it is until its CPUs are free again";
  const JobSpec& spec = *cluster.job(p.victim)->job.spec;
  const Qos& qos = cluster.qos_of(*cluster.job(p.victim));
  const bool requeued = spec.requeue && qos.preempt_mode != PreemptMode::Cancel;
  std::string text = "is stopped without being asked to save";
  if (qos.asks_to_save())
    text = "is asked to save within " + schedule::duration_text(Milliseconds{qos.grace_ms}) +
           " and stopped";
  if (!requeued) return text + ", and ends: it is not requeued";
  if (p.goes_on_with)
    return text + ", and goes on with " + schedule::count_of(*p.goes_on_with, "node");
  return text + ", and is requeued" + (qos.asks_to_save() ? "" : "; what it has not saved is lost");
}

// By then its place is free at the latest: its victims, and those that stop there anyway, are gone.
Boot free_by(const Cluster& cluster, const schedule::Plan& plan, const JobTested& tested, Now now) {
  Boot latest = now.boot;
  for (const auto& p : plan.preemptions) {
    if (p.preemptor != tested.view.job.id || p.suspends) continue;
    const StopOrder order =
        stop_as_its_qos_says(cluster, *cluster.job(p.victim), StopWhy::Preempt, "");
    latest = std::max(latest, now.boot + Milliseconds{order.grace_ms + order.kill_wait_ms});
  }
  for (const std::string& node : tested.view.nodes)
    for (const JobId id : cluster.jobs_on(node)) {
      const schedule::RunningJob running = running_job(cluster, *cluster.job(id), now);
      if (running.stopping && running.ends_by) latest = std::max(latest, *running.ends_by);
    }
  return latest;
}

void tell_victims(JobTested& tested, const Cluster& cluster, const schedule::Plan& plan, Now now) {
  double loss = 0;
  for (const auto& p : plan.preemptions) {
    if (p.preemptor != tested.view.job.id) continue;
    tested.gives_way.push_back(p.victim);
    tested.why.push_back(schedule::job_text(p.victim, titles_of(cluster)) + " " +
                         end_text(cluster, p));
    loss += p.loss_unit_seconds;
  }
  tested.loss_unit_seconds = std::llround(loss);
  if (tested.gives_way.empty()) return;
  tested.view.expected_start = now.wall + (free_by(cluster, plan, tested, now) - now.boot);
  tested.at_the_latest = true;
}

// Replies with the effect of the submission rules, whether they refuse the job or not.
void tell_rules(Reaction& r, const PeerMessage& said, std::int64_t number,
                const SubmitRuling& ruling) {
  if (ruling.waits) return;
  if (said.caller.uid != r.cluster().config().owner_uid)
    return r.reply(said.peer, number,
                   Refused{{"only administrators can test the submission rules",
                            "sbatch --test-only applies them to one of your jobs"}});
  JobTested tested;
  tested.view.job.spec = Shared<JobSpec>(ruling.specs.front());
  tested.rules = ruling.lines;
  tested.refused = ruling.refused;
  r.reply(said.peer, number, std::move(tested));
}

}  // namespace

void on_test(Reaction& r, const PeerMessage& said, std::int64_t number, const TestJob& test) {
  const PeerName& peer = said.peer;
  const SubmitRuling ruling = rule_submission(r, said, number, {&test.spec, 1}, test.script, true);
  if (test.rules_only) return tell_rules(r, said, number, ruling);
  if (!may_continue(r, said, number, ruling)) return;
  const JobSpec& asked = ruling.specs.front();
  if (auto f = check_array_size(r.cluster(), asked)) return r.reply(peer, number, Refused{*f});
  if (auto f = check_request(r.cluster(), "", tasks_asked(asked.array)))
    return r.reply(peer, number, Refused{*f});
  if (is_recalling(r, said, number, ruling.specs)) return;
  const Payload payload(test.script, test.environment, said.caller.uid);
  auto spec = Admission(r.cluster(), said.caller, payload, r.now()).admit(asked);
  if (!spec) return r.reply(peer, number, Refused{spec.refusal()});
  if (auto f = settle_resume(r.cluster(), *spec)) return r.reply(peer, number, Refused{*f});
  const std::int64_t tasks = tasks_asked(spec->array);
  for (const Qos* qos : r.cluster().qos_binding(*spec))
    if (auto f = check_submit_limits(*qos, r.cluster().limits_in_use(), *spec, tasks))
      return r.reply(peer, number, Refused{*f});
  std::map<AssociationId, std::int64_t> more;
  count_submitted(more, r.cluster().accounts(), *spec, tasks);
  if (auto f =
          check_submit_limits(r.cluster().accounts(), r.cluster().limits_in_use(), *spec, more))
    return r.reply(peer, number, Refused{*f});
  auto waits = dependent(r.cluster(), *spec, said.recalled, r.now());
  if (!waits) return r.reply(peer, number, Refused{waits.refusal()});
  const JobEntry entry = entry_of(r.cluster(), std::move(*spec), std::move(*waits), r.now());
  if (auto tested = not_yet(r.cluster(), entry.job, r.now())) {
    tested->rules = ruling.lines;
    return r.reply(peer, number, std::move(*tested));
  }
  const JobId id = entry.job.id;
  const schedule::Plan plan = r.cluster().scheduler(r.now()).plan_with(
      pending_job(r.cluster(), entry), r.now(), titles_of(r.cluster()),
      limits_named_by(r.cluster(), r.now().wall));
  JobTested tested;
  tested.rules = ruling.lines;
  tested.view.job = entry.job;
  tested.view.partition = entry.job.spec->partition;
  for (const auto& start : plan.starts)
    if (start.job == id) tell_start(tested, start, r.now());
  for (const auto& waiting : plan.waiting)
    if (waiting.job == id) tell_wait(tested, waiting, r.now());
  tell_victims(tested, r.cluster(), plan, r.now());
  r.reply(peer, number, std::move(tested));
}

}  // namespace cox
