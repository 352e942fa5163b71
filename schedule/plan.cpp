#include "schedule/plan.h"

#include "schedule/explain.h"
#include "schedule/order.h"
#include "schedule/pass.h"
#include "schedule/preempt.h"

namespace cox::schedule {
namespace {

std::vector<Verdict> judge_all(Pass& pass, const Queue& queue) {
  std::vector<Verdict> verdicts;
  verdicts.reserve(queue.pending.size());
  for (const PendingJob* job : order(queue.pending)) verdicts.push_back(pass.judge(*job));
  for (const PendingJob& job : queue.pending)
    if (job.held) verdicts.push_back(pass.judge(job));
  return verdicts;
}

void add_decisions(Plan& plan, const Pass& pass, const Verdict& verdict) {
  if (verdict.outcome == Outcome::Starts)
    plan.starts.push_back({verdict.job->id, placement_of(pass.nodes(), verdict.shares)});
  for (const std::size_t at : verdict.victims) {
    const RunningJob& victim = *pass.running()[at].job;
    const double loss_unit_seconds = static_cast<double>(loss_unit_ms(victim)) / 1000;
    plan.preemptions.push_back({victim.id, verdict.job->id, loss_unit_seconds});
  }
}

}  // namespace

Plan make_plan(const Nodes& nodes, const Queue& queue, Boot now, Telling telling) {
  Pass pass(nodes, queue, now);
  const std::vector<Verdict> verdicts = judge_all(pass, queue);
  Plan plan;
  for (const Verdict& verdict : verdicts) add_decisions(plan, pass, verdict);
  if (telling.asked) plan.waiting = explain(pass, verdicts, telling);
  return plan;
}

Plan make_plan(const World& world, Boot now) {
  return make_plan(Nodes(world.nodes), world, now, Telling::everything());
}

}  // namespace cox::schedule
