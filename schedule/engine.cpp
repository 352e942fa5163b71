#include "schedule/engine.h"

#include <algorithm>
#include <cmath>

#include "common/check.h"
#include "schedule/explain.h"
#include "schedule/order.h"
#include "schedule/pass.h"
#include "schedule/place.h"

namespace cox::schedule {
namespace {

// Beside those in line; beyond, what was worked out for requests is worked out anew.
constexpr std::size_t unused_requests_max = 4'096;
constexpr int restarts_counted_max = 20;

}  // namespace

Engine::Engine(std::vector<WorldNode> nodes, Settings settings)
    : settings_(settings),
      ground_(std::make_unique<Ground>(std::move(nodes), settings.placement)) {}

Engine::~Engine() = default;

void Engine::set_nodes(std::vector<WorldNode> nodes) {
  break_off();
  ground_ = std::make_unique<Ground>(std::move(nodes), settings_.placement);
  for (auto& [id, running] : running_) {
    running.shares = shares_of(ground_->nodes, running.job.grants);
    free().take(*running.shares);
  }
  for (auto& [id, kept] : kept_) kept.shares = shares_of(ground_->nodes, kept.placement);
}

void Engine::add(PendingJob job) {
  job.request = requests_.shared(job.request);
  if (job.held) {
    CHECK(held_.emplace(job.id, job).second);
    kept_.erase(job.id);
  } else {
    line_.add(job);
    if (job.ran > Milliseconds{0}) resuming_[job.id] = job;
    if (const auto kept = kept_.find(job.id); kept != kept_.end()) kept->second.job = job;
  }
}

void Engine::remove(PendingJob job) {
  if (job.held) {
    CHECK(held_.erase(job.id) == 1);
    return;
  }
  job.request = requests_.shared(job.request);
  kept_.erase(job.id);
  resuming_.erase(job.id);
  line_.remove(job);
}

void Engine::claim(const PendingJob& job, Placement placement) {
  claim_home(job.id, std::move(placement));
  kept_[job.id].job = job;
  kept_[job.id].job->request = requests_.shared(job.request);
}

void Engine::claim_home(JobId id, Placement placement) {
  if (paused_ && !paused_->has_decided(id)) break_off();
  Shares shares = shares_of(nodes(), placement);
  kept_[id] = {std::nullopt, std::move(placement), std::move(shares)};
}

void Engine::drop_claim(JobId id) {
  kept_.erase(id);
}

void Engine::count(const Running& running, int change) {
  if (running.job.stopping) stopping_count_ += static_cast<std::size_t>(change);
  if (running.job.movable) movable_count_ += static_cast<std::size_t>(change);
  if (running.job.preemptable) preemptable_by_tier_[running.job.tier] += change;
}

void Engine::add(RunningJob job) {
  const JobId id = job.id;
  if (paused_ && !paused_->has_decided(id)) break_off();
  const Shared<Shares> shares(shares_of(nodes(), job.grants));
  if (paused_) {
    behind_pass_.push_back({true, shares});  // the pass has taken it
  } else {
    free().take(*shares);
  }
  if (job.movable) job.request = requests_.shared(job.request);
  const auto [it, added] = running_.emplace(id, Running{std::move(job), shares});
  CHECK(added);
  count(it->second, 1);
}

void Engine::remove_running(JobId id) {
  const auto it = running_.find(id);
  CHECK(it != running_.end());
  count(it->second, -1);
  if (paused_) {
    behind_pass_.push_back({false, it->second.shares});  // the next pass sees it
  } else {
    free().give_back(*it->second.shares);
  }
  running_.erase(it);
}

void Engine::change(RunningJob job) {
  Running& running = running_.at(job.id);
  count(running, -1);
  if (job.movable) job.request = requests_.shared(job.request);
  running.job = std::move(job);
  count(running, 1);
}

bool Engine::somebody_yields_to(std::int32_t tier) const {
  for (const auto& [lower, count] : preemptable_by_tier_)
    if (lower < tier && count > 0) return true;
  return false;
}

bool Engine::fits_now(const Need& need) {
  Watch& watch = ground_->watches[&need];
  const bool followed = free().follow(watch.fitting_followed, [&](NodeAt at) {
    note_work(1);
    if (watch.fitting) watch.fitting->node_changed(at, free());
  });
  if (!followed || !watch.fitting) {
    watch.fitting.emplace(need, nodes(), free());
    note_work(std::ssize(need.usable));
  }
  return watch.fitting->enough();
}

std::vector<NodeAt> Engine::best_now(const Need& need) {
  Watch& watch = ground_->watches[&need];
  const std::int64_t before = watch.ranking ? watch.ranking->work() : 0;
  const bool followed = free().follow(watch.ranking_followed, [&](NodeAt at) {
    if (watch.ranking) watch.ranking->node_changed(at, free());
  });
  const bool anew = !followed || !watch.ranking;
  if (anew) watch.ranking.emplace(need, nodes(), free());
  std::vector<NodeAt> best = watch.ranking->best();
  note_work(watch.ranking->work() - (anew ? 0 : before));
  return best;
}

void Engine::forget_unused() {
  if (requests_.size() <= line_.kinds().size() + unused_requests_max) return;
  ground_->watches.clear();
  matcher().forget_all();
  requests_.forget_all();
  for (const auto& [kind, queue] : line_.kinds()) requests_.shared(queue.request);
  for (auto& [id, running] : running_)
    if (running.job.movable) running.job.request = requests_.shared(running.job.request);
  for (auto& [id, job] : resuming_) job.request = requests_.shared(job.request);
  for (auto& [id, kept] : kept_)
    if (kept.job) kept.job->request = requests_.shared(kept.job->request);
}

// Rankings were made by what was known to be useful then.
void Engine::learn_usual() {
  if (settings_.placement != PlacementPolicy::Fgd) return;
  if (ground_->usual_version == usual_.version()) return;
  ground_->usual_version = usual_.version();
  matcher().learn(usual_);
  for (auto& [need, watch] : ground_->watches) watch.ranking.reset();
}

// By an order that preempts, time changes who stands before whom.
void Engine::rank(Boot now) {
  if (settings_.order == OrderPolicy::Gittins) return rank_by_lifetimes(now);
  if (!preempts_inside_tier(settings_.order)) return;
  for (auto& [id, running] : running_) running.priority = priority_of(settings_, running.job, now);
}

void Engine::rank_by_lifetimes(Boot now) {
  const auto units = [](const RunningJob& job) {
    return std::llround(std::max(job.loss_per_second_units, 1.0));
  };
  const auto service = [now](const RunningJob& job) { return job.ran_before + (now - job.began); };
  lifetimes_.forget_living();
  for (const auto& [id, running] : running_)
    lifetimes_.note_living(id, units(running.job), service(running.job));
  for (const auto& [id, job] : resuming_)
    lifetimes_.note_living(id, units_of(*job.request), job.ran);
  for (auto& [id, running] : running_)
    running.priority = -lifetimes_.cost_of_end(id, units(running.job), service(running.job));
  line_.prioritise([this](const Kind& kind, JobId id) {
    const auto resuming = resuming_.find(id);
    const Milliseconds ran = resuming == resuming_.end() ? Milliseconds{0} : resuming->second.ran;
    return -lifetimes_.cost_of_end(id, units_of(*kind.request), ran);
  });
}

void Engine::begin_pass(Now now) {
  forget_unused();
  learn_usual();
  rank(now.boot);
  if (ends_starvation(settings_.order))
    line_.prefer_older_than(now.wall - settings_.priority.max_age);
}

Plan Engine::plan_of(const std::vector<Verdict>& verdicts, Boot now) const {
  Plan plan;
  for (const Verdict& verdict : verdicts) {
    if (verdict.outcome == Outcome::Starts)
      plan.starts.push_back({verdict.job.id, placement_of(nodes(), verdict.shares)});
    for (const JobId victim : verdict.victims) {
      const double loss = static_cast<double>(loss_unit_ms(running_.at(victim).job, now)) / 1000;
      plan.preemptions.push_back({victim, verdict.job.id, loss, !verdict.moves.empty()});
    }
    if (!verdict.victims.empty())
      plan.claims.push_back({verdict.job.id, placement_of(nodes(), verdict.shares)});
    for (const Move& move : verdict.moves)
      plan.claims.push_back({move.job, placement_of(nodes(), move.home)});
  }
  return plan;
}

Plan Engine::plan(Now now, Telling telling) {
  if (!paused_) begin_pass(now);
  if (paused_) {
    paused_->set_aside();
    catch_up();
  }
  Plan plan;
  {
    Pass pass(*this, now.boot);
    const std::vector<Verdict> verdicts = pass.judge_all(telling.asked);
    plan = plan_of(verdicts, now.boot);
    if (telling.asked) plan.waiting = explain(pass, verdicts, telling);
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
  const std::vector<Verdict> verdicts = pass->judge_some(work_max << restarts_);
  Plan plan = plan_of(verdicts, now.boot);
  if (pass->is_over()) {
    pass.reset();
    catch_up();
    behind_pass_.clear();
    restarts_ = 0;
  } else {
    pass->pause();
    paused_ = std::move(pass);
  }
  return plan;
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
