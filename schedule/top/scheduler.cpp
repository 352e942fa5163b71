#include "schedule/top/scheduler.h"

#include <algorithm>
#include <utility>

#include "common/base/check.h"
#include "schedule/explain/explain.h"
#include "schedule/pass/pass.h"

namespace cox::schedule {
namespace {

constexpr int restarts_counted_max = 20;

std::optional<std::int64_t> nodes_after(const Decision& decision, JobId victim) {
  const auto move = std::ranges::find(decision.moves, victim, &Move::job);
  if (move == decision.moves.end()) return std::nullopt;
  return std::ssize(move->home.parts);
}

Plan plan_of(const Engine& engine, Pass& pass, const std::vector<Decision>& decisions, Boot now) {
  Plan plan;
  plan.resumes = pass.take_resumes();
  for (const Decision& decision : decisions) {
    if (decision.outcome == Outcome::Starts)
      plan.starts.push_back({decision.job.id, placement_of(engine.nodes(), decision.shares),
                             decision.time_limit, decision.fills});
    for (const JobId victim : decision.victims) {
      const RunningJob& job = engine.running().at(victim).job;
      const double loss = static_cast<double>(loss_unit_ms(job, now)) / 1000;
      const double restart = static_cast<double>(restart_unit_ms(engine.settings(), job)) / 1000;
      plan.preemptions.push_back(
          {victim, decision.job.id, loss, restart, job.suspends, nodes_after(decision, victim)});
    }
    if (!decision.victims.empty())
      plan.claims.push_back({decision.job.id, placement_of(engine.nodes(), decision.shares)});
    for (const Move& move : decision.moves)
      plan.claims.push_back({move.job, placement_of(engine.nodes(), move.home)});
  }
  return plan;
}

void add_growth(const Engine& engine, Pass& pass, Boot now, Plan& plan) {
  for (const Move& move : pass.grow()) {
    const double loss =
        static_cast<double>(loss_unit_ms(engine.running().at(move.job).job, now)) / 1000;
    const double restart =
        static_cast<double>(restart_unit_ms(engine.settings(), engine.running().at(move.job).job)) /
        1000;
    plan.preemptions.push_back(
        {move.job, move.job, loss, restart, false, std::ssize(move.home.parts)});
    plan.claims.push_back({move.job, placement_of(engine.nodes(), move.home)});
  }
}

}  // namespace

Scheduler::Scheduler(std::vector<SchedulerNode> nodes, Settings settings)
    : engine_(std::move(nodes), settings) {}

Scheduler::~Scheduler() = default;

// Drops the paused pass if the engine has undone it because of a fact that excludes it.
void Scheduler::drop_undone_pass() {
  if (!pass_ || engine_.has_paused_pass()) return;
  pass_.reset();
  if (restarts_ < restarts_counted_max) ++restarts_;
}

Plan Scheduler::plan(Now now, ExplainDepth depth) {
  drop_undone_pass();
  if (pass_) {
    pass_->stash_room();
    engine_.catch_up();
  } else {
    engine_.begin_pass(now);
  }
  Plan plan;
  {
    Pass pass(engine_, now.boot);
    const std::vector<Decision> decisions = pass.run_and_explain(depth);
    plan = plan_of(engine_, pass, decisions, now.boot);
    add_growth(engine_, pass, now.boot, plan);
    if (depth.enabled) {
      plan.waiting = explain(pass, now, decisions, depth);
      explain_suspended(pass, now, depth, plan.waiting);
    }
  }
  if (pass_) pass_->restore_room();
  return plan;
}

Plan Scheduler::plan_part(Now now, std::int64_t work_max) {
  CHECK(work_max > 0);
  drop_undone_pass();
  if (pass_) {
    pass_->go_on(now.boot);
  } else {
    engine_.begin_pass(now);
    pass_ = std::make_unique<Pass>(engine_, now.boot);
  }
  const std::vector<Decision> decisions = pass_->run_part(work_max << restarts_);
  Plan plan = plan_of(engine_, *pass_, decisions, now.boot);
  if (pass_->is_over()) {
    add_growth(engine_, *pass_, now.boot, plan);
    pass_.reset();
    engine_.end_pause();
    restarts_ = 0;
  } else {
    engine_.pause(*pass_);
  }
  return plan;
}

Plan Scheduler::plan_with(const PendingJob& job, Now now, TitleOf title_of, LimitOf limit_of) {
  CHECK(!engine_.claims().contains(job.id) && !engine_.held().contains(job.id));
  engine_.put(job);
  ExplainDepth depth = ExplainDepth::first(0, job.id, std::move(title_of));
  depth.limit_of = std::move(limit_of);
  Plan with = plan(now, std::move(depth));
  engine_.remove(job.id);
  return with;
}

}  // namespace cox::schedule
