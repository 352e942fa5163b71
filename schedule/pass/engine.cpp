#include "schedule/pass/engine.h"

#include <algorithm>
#include <cmath>

#include "common/base/check.h"
#include "schedule/place/place.h"
#include "schedule/queue/order.h"

namespace cox::schedule {
namespace {

// Beside those in line; beyond, what was worked out for requests is worked out anew.
constexpr std::size_t unused_requests_max = 4'096;

// Its need is asked for while it runs.
bool stays_known(const RunningJob& job) {
  return job.movable || job.request->nodes_most > 0;
}

// What it holds yet when all up to this tier have given way; null: nothing.
const GangParts* stays_if_all_yield(const Running& running, std::int64_t tier_max) {
  const RunningJob& job = running.job;
  if (job.stopping) return nullptr;
  if (job.suspended) return &*running.rest;
  if ((!job.preemptable && !job.movable) || job.tier > tier_max) return &*running.shares;
  return job.suspends ? &*running.rest : nullptr;
}

void set_shares(Running& running, GangParts shares) {
  running.shares = std::move(shares);
  if (!running.job.suspends) return;
  running.cpus = cpus_of(*running.shares);
  running.rest = all_but_cpus_of(*running.shares);
}

// How many nodes were looked at.
std::int64_t follow(Watch& watch, const ResolvedRequest& need, const Nodes& nodes,
                    const TrackedRoom& room) {
  std::int64_t work = 0;
  const bool followed = room.follow(watch.fitting_followed, [&](NodeAt at) {
    ++work;
    if (watch.fitting) watch.fitting->node_changed(at, room);
  });
  if (followed && watch.fitting) return work;
  watch.fitting.emplace(need, nodes, room);
  return work + std::ssize(need.usable);
}

}  // namespace

bool WatchedRoom::fits(const ResolvedRequest& need, const Nodes& nodes) {
  Watch& watch = watches[&need];
  follow(watch, need, nodes, room);
  return watch.fitting->enough() && room.room().has_licences(need.licences);
}

Engine::Engine(std::vector<SchedulerNode> nodes, Settings settings)
    : settings_(settings),
      ground_(std::make_unique<Ground>(std::move(nodes), settings,
                                       std::vector<AdvanceReservation>{})) {}

Engine::~Engine() = default;

void Engine::set_nodes(std::vector<SchedulerNode> nodes) {
  break_off();
  if (ground_->nodes.take_availability(nodes)) {
    quotas_.know_nodes(this->nodes());
    return forget_needs();
  }
  ground_ = std::make_unique<Ground>(std::move(nodes), settings_, advance().all());
  quotas_.know_nodes(this->nodes());
  for (auto& [id, running] : running_) {
    set_shares(running, shares_of(ground_->nodes, running.job.grants, *running.job.request));
    free().take(*running.held());
  }
  for (auto& [id, kept] : kept_)
    kept.shares = shares_of(ground_->nodes, kept.placement, *kept.request);
}

void Engine::set_quotas(std::vector<Quota> all) {
  if (all == quotas_set_) return;
  break_off();
  quotas_set_ = std::move(all);
  quotas_.set(quotas_set_);
  quotas_.know_nodes(nodes());
}

void Engine::set_reservations(std::vector<AdvanceReservation> all) {
  if (all == advance().all()) return;
  break_off();
  forget_needs();
  ground_->advance = std::make_unique<AdvanceReservations>(nodes(), std::move(all));
}

void Engine::add(PendingJob job) {
  job.request = requests_.shared(job.request);
  if (job.held) {
    CHECK(held_.emplace(job.id, job).second);
    drop_claim(job.id);
  } else {
    queue_.add(job);
    patience_.add(job);
    limit_use_.want(*job.limits, *job.request, job.copies);
    if (job.ran > Milliseconds{0}) resuming_[job.id] = job;
    if (const auto kept = kept_.find(job.id); kept != kept_.end()) {
      kept->second.job = job;
      kept->second.limits = job.limits;
      settle_limits(job.id);
    }
  }
}

void Engine::remove(PendingJob job, bool comes_back) {
  if (job.held) {
    CHECK(held_.erase(job.id) == 1);
    return;
  }
  job.request = requests_.shared(job.request);
  if (!comes_back) drop_claim(job.id);
  resuming_.erase(job.id);
  PendingJob stands = patience_.forget(job);
  stands.request = requests_.shared(stands.request);
  limit_use_.want(*job.limits, *job.request, -queue_.remove(stands));
}

void Engine::set_copies(PendingJob job, std::int64_t copies) {
  job.request = requests_.shared(job.request);
  PendingJob stands = patience_.set_copies(job, copies);
  stands.request = requests_.shared(stands.request);
  const std::int64_t before = queue_.set_copies(stands, copies);
  limit_use_.want(*job.limits, *job.request, copies - before);
}

void Engine::lose_patience(Wall now) {
  for (Patience::Change& change : patience_.lose(now)) {
    queue_.remove(change.before);
    change.after.request = requests_.shared(change.after.request);
    queue_.add(change.after);
  }
}

void Engine::claim(const PendingJob& job, Placement placement) {
  Kept& kept = keep(job.id, std::move(placement), job.request);
  kept.job = job;
  kept.job->request = kept.request;
  kept.limits = job.limits;
  settle_limits(job.id);
}

void Engine::claim_home(JobId id, Placement placement) {
  const auto running = running_.find(id);
  if (running == running_.end()) return;
  const RunningJob& job = running->second.job;
  keep(id, std::move(placement), job.request).limits = job.limits;
  settle_limits(id);
}

Engine::Kept& Engine::keep(JobId id, Placement placement, const Shared<Request>& request) {
  if (is_paused_without(id)) break_off();
  GangParts shares = shares_of(nodes(), placement, *request);
  return kept_[id] = {
             std::nullopt, requests_.shared(request), std::move(placement), std::move(shares), {}};
}

void Engine::drop_claim(JobId id) {
  kept_.erase(id);
  settle_limits(id);
}

void Engine::note_split(JobId from, JobId id) {
  if (paused_ && !is_paused_without(from)) paused_->pass->note_split(id);
  settle_limits(from);
}

void Engine::count(const Running& running, int change) {
  if (running.job.stopping || running.frees_cpus_soon())
    stopping_count_ += static_cast<std::size_t>(change);
  if (running.job.suspended) suspended_count_ += static_cast<std::size_t>(change);
  if (running.job.movable) movable_count_ += static_cast<std::size_t>(change);
  if (running.job.request->nodes_most > 0) elastic_count_ += static_cast<std::size_t>(change);
  if (running.job.preemptable) preemptable_by_tier_[running.job.tier] += change;
}

void Engine::take_if_it_stays(const Running& running) {
  for (auto& [tier_max, kept] : ground_->if_yielded)
    if (const GangParts* stays = stays_if_all_yield(running, tier_max)) kept.room.take(*stays);
}

void Engine::give_back_if_it_stayed(const Running& running) {
  for (auto& [tier_max, kept] : ground_->if_yielded)
    if (const GangParts* stays = stays_if_all_yield(running, tier_max)) kept.room.give_back(*stays);
}

void Engine::add(RunningJob job) {
  const JobId id = job.id;
  GangParts shares = shares_of(nodes(), job.grants, *job.request);
  if (stays_known(job)) job.request = requests_.shared(job.request);
  const auto [it, added] = running_.emplace(id, Running{std::move(job), {}});
  CHECK(added);
  set_shares(it->second, std::move(shares));
  settle_limits(id);
  take_room(id, it->second.held());
  count(it->second, 1);
  take_if_it_stays(it->second);
}

void Engine::remove_running(JobId id) {
  const auto it = running_.find(id);
  CHECK(it != running_.end());
  count(it->second, -1);
  give_back_if_it_stayed(it->second);
  give_back_room(it->second.held());
  running_.erase(it);
  settle_limits(id);
}

void Engine::take_room(JobId id, const Shared<GangParts>& shares) {
  if (is_paused_without(id)) break_off();
  if (paused_) {
    paused_->changes.push_back({true, shares});  // the pass has taken it
  } else {
    free().take(*shares);
  }
}

void Engine::give_back_room(const Shared<GangParts>& shares) {
  if (paused_) {
    paused_->changes.push_back({false, shares});  // the next pass sees it
  } else {
    free().give_back(*shares);
  }
}

// REQUIRES: it keeps some of what it holds.
void Engine::give_back_nodes(Running& running, const Placement& left) {
  GangParts shares = shares_of(nodes(), left, *running.job.request);
  GangParts gone = *running.held();
  gone.licences.clear();  // it keeps those until it is over
  std::erase_if(gone.parts, [&](const NodePart& part) {
    return std::ranges::binary_search(shares.parts, part.node, {}, &NodePart::node);
  });
  set_shares(running, std::move(shares));
  give_back_room(std::move(gone));
}

void Engine::change(RunningJob job) {
  Running& running = running_.at(job.id);
  count(running, -1);
  give_back_if_it_stayed(running);
  if (stays_known(job)) job.request = requests_.shared(job.request);
  const bool stood_still = running.job.stands_still;
  if (job.grants != running.job.grants) give_back_nodes(running, job.grants);
  running.job = std::move(job);
  settle_limits(running.job.id);
  if (running.job.suspends && running.cpus->parts.empty()) set_shares(running, *running.shares);
  if (stood_still && !running.job.stands_still) take_room(running.job.id, running.cpus);
  if (!stood_still && running.job.stands_still) give_back_room(running.cpus);
  count(running, 1);
  take_if_it_stays(running);
}

const ResolvedRequest& Engine::need_of(const Request& request, Boot from,
                                       std::optional<Milliseconds> lasts) {
  return need_at(*requests_.shared(request), from, lasts);
}

bool Engine::somebody_yields(std::int64_t tier_max) const {
  for (const auto& [tier, count] : preemptable_by_tier_)
    if (tier <= tier_max && count > 0) return true;
  return false;
}

bool Engine::fits_if_all_yield(const ResolvedRequest& need, std::int64_t tier_max) {
  const auto known = ground_->if_yielded.find(tier_max);
  if (known != ground_->if_yielded.end()) return known->second.fits(need, nodes());
  Room room = matcher().idle();
  for (const auto& [id, running] : running_)
    if (const GangParts* stays = stays_if_all_yield(running, tier_max)) room.take(*stays);
  return ground_->if_yielded.emplace(tier_max, std::move(room)).first->second.fits(need, nodes());
}

bool Engine::fits_now(const ResolvedRequest& need) {
  Watch& watch = ground_->watches[&need];
  note_work(follow(watch, need, nodes(), free()));
  return watch.fitting->enough() && free().room().has_licences(need.licences);
}

Ranking& Engine::ranking_of(const ResolvedRequest& need) {
  note_work(ground_->alike->follow());
  Watch& watch = ground_->watches[&need];
  if (!watch.ranking) watch.ranking.emplace(need, *ground_->alike);
  return *watch.ranking;
}

std::vector<NodeAt> Engine::best_now(const ResolvedRequest& need) {
  Ranking& ranking = ranking_of(need);
  const std::int64_t before = ranking.work();
  std::vector<NodeAt> best = ranking.best();
  note_work(ranking.work() - before);
  return best;
}

std::vector<NodeAt> Engine::holding_now(const ResolvedRequest& need) {
  if (!Ranking::settles(need)) {
    note_work(std::ssize(need.usable));
    return need.usable;
  }
  Ranking& ranking = ranking_of(need);
  const std::int64_t before = ranking.work();
  std::vector<NodeAt> all = ranking.all();
  note_work(ranking.work() - before);
  return all;
}

void Engine::forget_needs() {
  ground_->watches.clear();
  for (auto& [tier_max, kept] : ground_->if_yielded) kept.watches.clear();
  ground_->alike = std::make_unique<NodeGroups>(nodes(), free());
  matcher().forget_all();
}

void Engine::forget_unused() {
  if (requests_.size() <= queue_.kinds().size() + unused_requests_max) return;
  forget_needs();
  requests_.forget_all();
  for (const auto& [kind, queue] : queue_.kinds()) requests_.shared(queue.request);
  for (auto& [id, running] : running_)
    if (stays_known(running.job)) running.job.request = requests_.shared(running.job.request);
  for (auto& [id, job] : resuming_) job.request = requests_.shared(job.request);
  for (auto& [id, kept] : kept_) {
    kept.request = requests_.shared(kept.request);
    if (kept.job) kept.job->request = kept.request;
  }
}

// Rankings were made by what was known to be useful then.
void Engine::learn_usual() {
  if (settings_.placement != PlacementPolicy::Fgd) return;
  if (ground_->usual_version == usual_.version()) return;
  ground_->usual_version = usual_.version();
  matcher().learn(usual_);
  ground_->usual = usual_.counts();
  for (auto& [need, watch] : ground_->watches) watch.ranking.reset();
}

const std::map<UsualRequest, double>& Engine::usual() {
  learn_usual();
  return ground_->usual;
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
  const auto service = [now](const RunningJob& job) { return service_of(job, now); };
  lifetimes_.forget_living();
  for (const auto& [id, running] : running_)
    lifetimes_.note_living(id, units(running.job), service(running.job));
  for (const auto& [id, job] : resuming_)
    lifetimes_.note_living(id, units_of(*job.request), job.ran);
  for (auto& [id, running] : running_)
    running.priority = -lifetimes_.cost_of_end(id, units(running.job), service(running.job));
  queue_.prioritise([this](const Kind& kind, JobId id) {
    const auto resuming = resuming_.find(id);
    const Milliseconds ran = resuming == resuming_.end() ? Milliseconds{0} : resuming->second.ran;
    return -lifetimes_.cost_of_end(id, units_of(*kind.request), ran);
  });
}

void Engine::begin_pass(Now now) {
  forget_unused();
  learn_usual();
  lose_patience(now.wall);
  rank(now.boot);
  if (ends_starvation(settings_.order))
    queue_.prefer_older_than(now.wall - settings_.priority.max_age,
                             priority_of_aged(settings_, now.wall));
}

void Engine::pause(PausedPass& pass) {
  if (!paused_) paused_ = Paused{&pass, {}};
}

void Engine::catch_up() {
  if (!paused_) return;
  for (const auto& [takes, shares] : paused_->changes) {
    if (takes) {
      free().take(*shares);
    } else {
      free().give_back(*shares);
    }
  }
}

void Engine::end_pause() {
  catch_up();
  paused_.reset();
}

void Engine::break_off() {
  if (!paused_) return;
  paused_->pass->undo();
  end_pause();
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

}  // namespace cox::schedule
