// A job that is only asked about: admitted as a submission, judged by a pass as if it stood in
// line, and gone again.
#include <cmath>

#include "controller/admit.h"
#include "controller/dependencies.h"
#include "controller/ineligible.h"
#include "controller/react.h"
#include "controller/world.h"

namespace cox {
namespace {

// As it would be added, with the id it would have.
JobEntry entry_of(const Cluster& cluster, JobSpec spec, Dependent waits, Now now) {
  JobEntry entry;
  entry.job.id = cluster.next_job();
  entry.job.held = spec.hold;
  entry.job.spec = Shared<JobSpec>(std::move(spec));
  entry.job.submitted = now.wall;
  entry.job.eligible = waits.eligible;
  entry.job.dependencies = std::move(waits.dependencies);
  entry.priority = priority_in_line(cluster, entry);
  entry.limits = cluster.limits_of(*entry.job.spec);
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
  tested.view.reason = ineligible->reason;
  tested.view.reason_detail = ineligible->detail;
  tested.why = {ineligible->detail};
  if (ineligible->reason == WaitReason::BeginTime) tested.view.expected_start = job.eligible;
  return tested;
}

void tell_start(JobTested& tested, const schedule::Start& start, Now now) {
  tested.starts_now = true;
  tested.view.expected_start = now.wall;
  for (const NodeGrant& grant : start.placement) tested.view.nodes.push_back(grant.node);
}

void tell_wait(JobTested& tested, const schedule::Waiting& waiting, Now now) {
  tested.view.reason = waiting.reason;
  tested.view.reason_detail = waiting.detail;
  tested.view.nodes = waiting.nodes;
  tested.why = waiting.lines;
  if (waiting.expected_start)
    tested.view.expected_start = now.wall + (*waiting.expected_start - now.boot);
}

}  // namespace

void on_test(Reaction& r, const PeerSaid& said, std::int64_t number, const TestJob& test) {
  const PeerName& peer = said.peer;
  if (auto f = check_request(r.cluster(), "", 1)) return r.reply(peer, number, Refused{*f});
  const Payload payload(test.script, test.environment);
  auto spec = Admission(r.cluster(), said.caller, payload, r.now()).admit(test.spec);
  if (!spec) return r.reply(peer, number, Refused{spec.refusal()});
  auto waits = dependent(r.cluster(), *spec, {}, r.now());
  if (!waits) return r.reply(peer, number, Refused{waits.refusal()});
  const JobEntry entry = entry_of(r.cluster(), std::move(*spec), std::move(*waits), r.now());
  if (auto tested = not_yet(r.cluster(), entry.job, r.now()))
    return r.reply(peer, number, std::move(*tested));
  const JobId id = entry.job.id;
  const schedule::Plan plan =
      r.cluster().engine(r.now()).plan_with(pending_job(r.cluster(), entry), r.now(),
                                            users_of(r.cluster()), limits_named_by(r.cluster()));
  JobTested tested;
  tested.view.job = entry.job;
  for (const auto& start : plan.starts)
    if (start.job == id) tell_start(tested, start, r.now());
  for (const auto& waiting : plan.waiting)
    if (waiting.job == id) tell_wait(tested, waiting, r.now());
  double loss = 0;
  for (const auto& preemption : plan.preemptions) {
    if (preemption.preemptor != id) continue;
    tested.gives_way.push_back(preemption.victim);
    loss += preemption.loss_unit_seconds;
  }
  tested.loss_unit_seconds = std::llround(loss);
  r.reply(peer, number, std::move(tested));
}

}  // namespace cox
