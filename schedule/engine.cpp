#include "schedule/engine.h"

#include "common/check.h"
#include "schedule/explain.h"
#include "schedule/order.h"
#include "schedule/pass.h"
#include "schedule/place.h"

namespace cox::schedule {
namespace {

// Beside those in line; beyond, what was worked out for requests is worked out anew.
constexpr std::size_t unused_requests_max = 4'096;

bool is_gone_if_all_yield(const RunningJob& job, std::int64_t tier_max) {
  return job.stopping || ((job.preemptable || job.movable) && job.tier <= tier_max);
}

void follow(Watch& watch, const Need& need, const Nodes& nodes, const TrackedRoom& room) {
  const bool followed = room.follow(watch.fitting_followed, [&](NodeAt at) {
    if (watch.fitting) watch.fitting->node_changed(at, room);
  });
  if (!followed || !watch.fitting) watch.fitting.emplace(need, nodes, room);
}

}  // namespace

bool WatchedRoom::fits(const Need& need, const Nodes& nodes) {
  Watch& watch = watches[&need];
  follow(watch, need, nodes, room);
  return watch.fitting->enough();
}

Engine::Engine(std::vector<WorldNode> nodes, Settings settings)
    : settings_(settings),
      ground_(std::make_unique<Ground>(std::move(nodes), settings.placement)) {}

void Engine::set_nodes(std::vector<WorldNode> nodes) {
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
  line_.remove(job);
}

void Engine::claim(const PendingJob& job, Placement placement) {
  claim_home(job.id, std::move(placement));
  kept_[job.id].job = job;
  kept_[job.id].job->request = requests_.shared(job.request);
}

void Engine::claim_home(JobId id, Placement placement) {
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

void Engine::take_if_it_stays(const Running& running) {
  for (auto& [tier_max, kept] : ground_->if_yielded)
    if (!is_gone_if_all_yield(running.job, tier_max)) kept.room.take(*running.shares);
}

void Engine::give_back_if_it_stayed(const Running& running) {
  for (auto& [tier_max, kept] : ground_->if_yielded)
    if (!is_gone_if_all_yield(running.job, tier_max)) kept.room.give_back(*running.shares);
}

void Engine::add(RunningJob job) {
  const JobId id = job.id;
  Shares shares = shares_of(nodes(), job.grants);
  free().take(shares);
  if (job.movable) job.request = requests_.shared(job.request);
  const auto [it, added] = running_.emplace(id, Running{std::move(job), std::move(shares)});
  CHECK(added);
  count(it->second, 1);
  take_if_it_stays(it->second);
}

void Engine::remove_running(JobId id) {
  const auto it = running_.find(id);
  CHECK(it != running_.end());
  count(it->second, -1);
  give_back_if_it_stayed(it->second);
  free().give_back(*it->second.shares);
  running_.erase(it);
}

void Engine::change(RunningJob job) {
  Running& running = running_.at(job.id);
  count(running, -1);
  give_back_if_it_stayed(running);
  if (job.movable) job.request = requests_.shared(job.request);
  running.job = std::move(job);
  count(running, 1);
  take_if_it_stays(running);
}

bool Engine::somebody_yields(std::int64_t tier_max) const {
  for (const auto& [tier, count] : preemptable_by_tier_)
    if (tier <= tier_max && count > 0) return true;
  return false;
}

bool Engine::fits_if_all_yield(const Need& need, std::int64_t tier_max) {
  const auto known = ground_->if_yielded.find(tier_max);
  if (known != ground_->if_yielded.end()) return known->second.fits(need, nodes());
  Room room = matcher().idle();
  for (const auto& [id, running] : running_)
    if (!is_gone_if_all_yield(running.job, tier_max)) room.take(*running.shares);
  return ground_->if_yielded.emplace(tier_max, std::move(room)).first->second.fits(need, nodes());
}

bool Engine::fits_now(const Need& need) {
  Watch& watch = ground_->watches[&need];
  follow(watch, need, nodes(), free());
  return watch.fitting->enough();
}

std::vector<NodeAt> Engine::best_now(const Need& need) {
  Watch& watch = ground_->watches[&need];
  const bool followed = free().follow(watch.ranking_followed, [&](NodeAt at) {
    if (watch.ranking) watch.ranking->node_changed(at, free());
  });
  if (!followed || !watch.ranking) watch.ranking.emplace(need, nodes(), free());
  return watch.ranking->best();
}

void Engine::forget_unused() {
  if (requests_.size() <= line_.kinds().size() + unused_requests_max) return;
  ground_->watches.clear();
  for (auto& [tier_max, kept] : ground_->if_yielded) kept.watches.clear();
  matcher().forget_all();
  requests_.forget_all();
  for (const auto& [kind, queue] : line_.kinds()) requests_.shared(queue.request);
  for (auto& [id, running] : running_)
    if (running.job.movable) running.job.request = requests_.shared(running.job.request);
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

Plan Engine::plan(Now now, Telling telling) {
  forget_unused();
  learn_usual();
  if (ends_starvation(settings_.order))
    line_.prefer_older_than(now.wall - settings_.priority.max_age);
  Pass pass(*this, now.boot);
  const std::vector<Verdict> verdicts = pass.judge_all(telling.asked);
  Plan plan;
  for (const Verdict& verdict : verdicts) {
    if (verdict.outcome == Outcome::Starts)
      plan.starts.push_back({verdict.job.id, placement_of(nodes(), verdict.shares)});
    for (const JobId victim : verdict.victims) {
      const RunningJob& job = running_.at(victim).job;
      const double loss = static_cast<double>(loss_unit_ms(job, now.boot)) / 1000;
      const double restart = static_cast<double>(restart_unit_ms(settings_, job)) / 1000;
      plan.preemptions.push_back({victim, verdict.job.id, loss, restart, !verdict.moves.empty()});
    }
    if (!verdict.victims.empty())
      plan.claims.push_back({verdict.job.id, placement_of(nodes(), verdict.shares)});
    for (const Move& move : verdict.moves)
      plan.claims.push_back({move.job, placement_of(nodes(), move.home)});
  }
  if (telling.asked) plan.waiting = explain(pass, verdicts, telling);
  return plan;
}

}  // namespace cox::schedule
