// The passes of an engine: whole ones, in parts, and of what is only asked about.
#include <algorithm>

#include "common/base/check.h"
#include "schedule/explain/explain.h"
#include "schedule/pass/engine.h"
#include "schedule/pass/pass.h"
#include "schedule/place/place.h"

namespace cox::schedule {
namespace {

constexpr int restarts_counted_max = 20;

std::optional<std::int64_t> nodes_after(const Decision& decision, JobId victim) {
  const auto move = std::ranges::find(decision.moves, victim, &Move::job);
  if (move == decision.moves.end()) return std::nullopt;
  return std::ssize(move->home.parts);
}

}  // namespace

Plan Engine::plan_of(Pass& pass, const std::vector<Decision>& decisions, Boot now) const {
  Plan plan;
  plan.resumes = pass.take_resumes();
  for (const Decision& decision : decisions) {
    if (decision.outcome == Outcome::Starts)
      plan.starts.push_back({decision.job.id, placement_of(nodes(), decision.shares),
                             decision.time_limit, decision.fills});
    for (const JobId victim : decision.victims) {
      const RunningJob& job = running_.at(victim).job;
      const double loss = static_cast<double>(loss_unit_ms(job, now)) / 1000;
      const double restart = static_cast<double>(restart_unit_ms(settings_, job)) / 1000;
      plan.preemptions.push_back(
          {victim, decision.job.id, loss, restart, job.suspends, nodes_after(decision, victim)});
    }
    if (!decision.victims.empty())
      plan.claims.push_back({decision.job.id, placement_of(nodes(), decision.shares)});
    for (const Move& move : decision.moves)
      plan.claims.push_back({move.job, placement_of(nodes(), move.home)});
  }
  return plan;
}

void Engine::add_growth(Pass& pass, Boot now, Plan& plan) const {
  for (const Move& move : pass.grow()) {
    const double loss = static_cast<double>(loss_unit_ms(running_.at(move.job).job, now)) / 1000;
    const double restart =
        static_cast<double>(restart_unit_ms(settings_, running_.at(move.job).job)) / 1000;
    plan.preemptions.push_back(
        {move.job, move.job, loss, restart, false, std::ssize(move.home.parts)});
    plan.claims.push_back({move.job, placement_of(nodes(), move.home)});
  }
}

Plan Engine::plan(Now now, ExplainDepth telling) {
  if (!paused_) begin_pass(now);
  if (paused_) {
    paused_->set_aside();
    catch_up();
  }
  Plan plan;
  {
    Pass pass(*this, now.boot);
    const std::vector<Decision> decisions = pass.run_and_explain(telling);
    plan = plan_of(pass, decisions, now.boot);
    add_growth(pass, now.boot, plan);
    if (telling.asked) {
      plan.waiting = explain(pass, now, decisions, telling);
      explain_suspended(pass, now, telling, plan.waiting);
    }
  }
  if (paused_) paused_->take_up();
  return plan;
}

Plan Engine::plan_part(Now now, std::int64_t work_max) {
  CHECK(work_max > 0);
  std::unique_ptr<Pass> pass = std::move(paused_);
  if (pass) {
    pass->go_on(now.boot);
  } else {
    begin_pass(now);
    pass = std::make_unique<Pass>(*this, now.boot);
  }
  const std::vector<Decision> decisions = pass->run_part(work_max << restarts_);
  Plan plan = plan_of(*pass, decisions, now.boot);
  if (pass->is_over()) {
    add_growth(*pass, now.boot, plan);
    pass.reset();
    catch_up();
    behind_pass_.clear();
    restarts_ = 0;
  } else {
    paused_ = std::move(pass);
  }
  return plan;
}

Plan Engine::plan_with(const PendingJob& job, Now now, TitleOf title_of, LimitOf limit_of) {
  CHECK(!kept_.contains(job.id) && !held_.contains(job.id));
  add(job);
  ExplainDepth telling = ExplainDepth::first(0, job.id, std::move(title_of));
  telling.limit_of = std::move(limit_of);
  Plan with = plan(now, std::move(telling));
  remove(job);
  return with;
}

std::optional<Boot> Engine::next_change(Now now) const {
  std::optional<Boot> next;
  const auto consider = [&](Boot at) {
    if (at > now.boot && (!next || at < *next)) next = at;
  };
  const bool somebody_waits = queue_.size() > 0;
  for (const auto& [id, running] : running_) {
    const RunningJob& job = running.job;
    if (job.movable && job.request->nodes_most > 0)
      consider(job.began + settings_.order_exempt);  // it may grow
    if (!somebody_waits || !job.preemptable) continue;
    consider(exempt_until(settings_, job));
    if (const auto back = budget_spent_until(settings_, job, now.boot)) consider(*back);
  }
  if (!somebody_waits) return next;
  if (const auto edge = advance().next_edge(now.boot)) consider(*edge);
  if (const auto lost = patience_.next()) consider(now.boot + (*lost - now.wall));
  return next;
}

// What happened while the free room was the pass's.
void Engine::catch_up() {
  for (const auto& [takes, shares] : behind_pass_) {
    if (takes) {
      free().take(*shares);
    } else {
      free().give_back(*shares);
    }
  }
}

void Engine::break_off() {
  if (!paused_) return;
  if (restarts_ < restarts_counted_max) ++restarts_;
  paused_.reset();
  catch_up();
  behind_pass_.clear();
}

}  // namespace cox::schedule
