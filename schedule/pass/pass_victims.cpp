// Who gives way in a pass, who is moved, and who goes on smaller or larger.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "common/base/check.h"
#include "schedule/pass/pass.h"
#include "schedule/place/elastic.h"
#include "schedule/place/place.h"
#include "schedule/queue/order.h"

namespace cox::schedule {
namespace {

// A running job, in so many nodes looked at.
constexpr std::int64_t victim_work = 16;
constexpr std::size_t grown_tried_max = 4;  // elastic gangs in one pass; each looks at every node

// By its time limit.
bool is_over_by(const Running& running, Boot at) {
  return running.job.ends_by && *running.job.ends_by <= at;
}

}  // namespace

// The highest tier of which anybody may give way to it.
std::int64_t Pass::yields_up_to(const Decision& decision) const {
  constexpr std::int64_t any_tier = std::numeric_limits<std::int32_t>::max();
  const std::int64_t tier = decision.job.tier;
  Reclaim::Right right = Reclaim::Right::None;
  if (!quotas().is_empty()) right = reclaim(decision.job, *decision.need).most();
  if (right == Reclaim::Right::ByGuarantee) return any_tier;
  const bool inside =
      right == Reclaim::Right::ByShare || preempts_inside_tier(engine_.settings().order);
  return inside ? tier : tier - 1;
}

// But for quotas.
bool Pass::somebody_yields_by_tier(const PendingJob& job) const {
  const bool inside = preempts_inside_tier(engine_.settings().order);
  return engine_.somebody_yields(inside ? job.tier : std::int64_t{job.tier} - 1);
}

// All who may be asked to by share, whoever asks: as a rule they are few, and nothing changes from
// one job that finds no victims to the next.
const std::vector<const Running*>& Pass::above_share() {
  const std::pair version{limit_use().version(), victims_.size()};
  if (above_share_as_of_ == version) return above_share_;
  above_share_as_of_ = version;
  above_share_.clear();
  const Reclaim::QuotaState standings = this->standings();
  for (const auto& [id, running] : engine_.running())
    if (running.job.preemptable && !is_stopping(running) && !has_started(id) &&
        standings.is_above_share(id))
      above_share_.push_back(&running);
  return above_share_;
}

std::optional<VictimCandidate> Pass::yielding(const Decision& decision, const Running& running,
                                              const std::optional<Reclaim>& reclaim,
                                              std::set<JobId>& reclaimed, Boot at) const {
  const Settings& settings = engine_.settings();
  const JobId id = running.job.id;
  if (is_stopping(running) || has_started(id)) return std::nullopt;
  if (at > now_ && is_over_by(running, at)) return std::nullopt;  // open_by() has its room
  auto cost = cost_if_it_yields(settings, decision.job, running, at);
  if (reclaim && cost && reclaim->is_guarded(id)) cost.reset();
  if (reclaim && !cost && running.job.preemptable) {
    const Reclaim::Right right = reclaim->over(id);
    const bool by_share = right == Reclaim::Right::ByShare && !reclaim->is_guarded(id) &&
                          running.job.tier <= decision.job.tier &&
                          !spared(settings, running.job, decision.job.tier, at);
    if (by_share || right == Reclaim::Right::ByGuarantee) {
      cost = cost_unit_ms(settings, running.job, at);
      reclaimed.insert(id);
    }
  }
  if (!cost) return std::nullopt;
  return VictimCandidate{&running, *cost};
}

YieldingBy Pass::yielding_to(const Decision& decision, const std::optional<Reclaim>& reclaim,
                             Boot at) {
  YieldingBy found;
  const auto ask = [&](const Running& running) {
    if (auto one = yielding(decision, running, reclaim, found.reclaimed, at))
      found.all.push_back(*one);
  };
  const bool by_share_alone =
      reclaim && !reclaim->reaches_into_shares() && !somebody_yields_by_tier(decision.job);
  if (by_share_alone) {
    engine_.note_work(victim_work * std::ssize(above_share()));
    for (const Running* running : above_share()) ask(*running);
  } else {
    engine_.note_work(victim_work * std::ssize(running()));
    for (const auto& [id, running] : engine_.running()) ask(running);
  }
  return found;
}

std::optional<std::vector<JobId>> Pass::victims_for(const Decision& decision, Boot at) {
  std::optional<Reclaim> by_quota;
  if (!quotas().is_empty()) by_quota.emplace(reclaim(decision.job, *decision.need));
  auto victims = victims_among(decision, by_quota, at);
  if (victims || !by_quota || by_quota->most() != Reclaim::Right::ByGuarantee) return victims;
  by_quota->reach_into_shares();
  return victims_among(decision, by_quota, at);
}

Room Pass::open_once_gone() const {
  return reservations_ ? reservations_->open(coming_, std::nullopt) : coming_;
}

// Whoever gives way for quotas may do so alone, and not be allowed to beside others.
std::optional<std::vector<JobId>> Pass::victims_among(const Decision& decision,
                                                      const std::optional<Reclaim>& by_quota,
                                                      Boot at) {
  const ResolvedRequest& need = *decision.need;
  const YieldingBy yielding = yielding_to(decision, by_quota, at);
  if (yielding.all.empty()) return std::nullopt;
  engine_.note_work(std::ssize(need.usable));
  const Room room = at == now_ ? open_once_gone() : open_by(decision, at);
  auto victims = choose_victims(need, nodes(), room, yielding.all);
  if (!victims || !by_quota || may_all_yield(*by_quota, yielding, *victims)) return victims;
  for (const Prefer prefer : {Prefer::Cheap, Prefer::Large}) {
    victims = choose_victims(need, nodes(), room, together(*by_quota, yielding, prefer));
    if (victims) break;
  }
  return victims;
}

bool Pass::preempt(Decision& decision) {
  const std::int64_t tier_max = yields_up_to(decision);
  if (!decision.job.may_preempt || !engine_.somebody_yields(tier_max)) return false;
  decision.need = &need_later(*decision.need, decision.job.time_limit);
  if (!decision.need->ever_fits) return false;
  // What victims of this pass leave beside their preemptors may be of a higher tier.
  if (!engine_.fits_if_all_yield(*decision.need, std::max(tier_max, victims_tier_max_)))
    return false;
  const auto victims = victims_for(decision, now_);
  if (!victims || !leaves_room(decision.job, *decision.need, *victims)) return false;
  Room after = open_once_gone();
  for (const JobId victim : *victims) after.give_back(*running().at(victim).yielded());
  const std::array<const Room*, 1> preferred{&free()};
  auto shares = place(*decision.need, nodes(), after, preferred);
  CHECK(shares.has_value());  // victims are chosen only when they make room
  const std::vector<Freed> freed = freed_by(*victims);
  if (reservations_ && !reservations_->allows(*shares, std::nullopt, freed)) return false;
  decision.outcome = Outcome::Preempts;
  decision.shares = std::move(*shares);
  decision.victims = *victims;
  stop(*victims);
  after.take(decision.shares);
  shrink(decision, std::move(after));
  if (reservations_) {
    reservations_->stopped(freed, now_);
    reservations_->promised(decision.shares, std::nullopt);
  }
  keep_for(decision, std::nullopt);
  for (const Move& move : decision.moves) keep(move.home);
  return true;
}

// Beside what is kept for those before it, without those that are over by then.
Room Pass::open_by(const Decision& decision, Boot at) const {
  Room room =
      reservations_ ? reservations_->spare_beside(decision.job.id, coming_, std::nullopt) : coming_;
  for (const auto& [id, running] : running())
    if (!is_stopping(running) && !has_started(id) && is_over_by(running, at))
      room.give_back(*running.held());
  return room;
}

std::optional<LaterPreemption> Pass::preempts_at(const Decision& later, Boot at) {
  const auto victims = victims_for(later, at);
  if (!victims || !leaves_room(later.job, *later.need, *victims)) return std::nullopt;
  Room left = open_by(later, at);
  for (const JobId victim : *victims) left.give_back(*running().at(victim).yielded());
  auto shares = place(*later.need, nodes(), left);
  if (!shares) return std::nullopt;
  left.take(*shares);
  return LaterPreemption{at, *victims, std::move(*shares), std::move(left)};
}

std::optional<LaterPreemption> Pass::may_preempt_later(const Decision& decision) {
  constexpr std::size_t moments_max = 8;  // each costs a search for victims
  if (!decision.job.may_preempt) return std::nullopt;
  std::set<Boot> moments;
  for (const auto& [id, running] : running())
    if (running.job.preemptable && !is_stopping(running) && !has_started(id))
      if (const auto spare = spared(engine_.settings(), running.job, decision.job.tier, now_))
        moments.insert(spare->until);
  Decision later;
  later.job = decision.job;
  std::optional<Milliseconds> lasts = decision.job.time_limit;
  if (lasts) *lasts += giving_way_max;
  std::size_t tried = 0;
  for (const Boot at : moments) {
    if (tried++ == moments_max) break;
    for (const Request* one = &*decision.job.request; one != nullptr;
         one = one->otherwise ? &**one->otherwise : nullptr) {
      later.need = &need_at(*one, at, lasts);
      if (!later.need->ever_fits) continue;
      if (auto found = preempts_at(later, at)) return found;
    }
  }
  return std::nullopt;
}

Room Pass::room_if_all_yield(const Decision& decision) {
  std::optional<Reclaim> by_quota;
  if (!quotas().is_empty()) by_quota.emplace(reclaim(decision.job, *decision.need));
  Room room = coming_;
  for (const VictimCandidate& one : yielding_to(decision, by_quota, now_).all)
    room.give_back(*one.running->yielded());
  return room;
}

// Elastic victims go on with what is left, at the size that fits.
void Pass::shrink(Decision& decision, Room after) {
  if (reservations_) return;
  for (const JobId victim : decision.victims) {
    const RunningJob& job = running().at(victim).job;
    if (job.request->nodes_most == 0 || !job.requeued || job.suspends) continue;
    auto home = largest_home(need_anew(job), matcher(), nodes(), limit_use(), job, after);
    if (!home) continue;
    after.take(*home);
    note_leaving(victim, -1);  // as long as it stops it holds the more
    decision.moves.push_back({victim, std::move(*home)});
  }
}

std::vector<Move> Pass::grow() {
  std::vector<Move> grown;
  std::size_t tried = 0;
  if (reservations_ || !waiting_kinds_.empty() || !engine_.settings().moves) return grown;
  if (engine_.elastic_count() == 0 || engine_.movable_count() == 0) return grown;
  for (const auto& [id, running] : running()) {
    const RunningJob& job = running.job;
    if (job.request->nodes_most == 0 || !job.movable || is_stopping(running)) continue;
    if (now_ - job.began < engine_.settings().order_exempt) continue;
    if (tried++ == grown_tried_max) break;
    Room after = engine_.free();
    after.give_back(*running.shares);
    auto home = largest_home(need_anew(job), matcher(), nodes(), limit_use(), job, after);
    if (!home || home->size() <= running.shares->size()) continue;
    coming_.give_back(*running.shares);
    keep(*home);
    std::int64_t tasks = 0;
    for (const NodePart& share : *home) tasks += share.ranks;
    engine_.limit_use().hold(id, *job.limits, *job.request, std::ssize(home->parts), tasks,
                             need_anew(job).whole);
    limits_held_.push_back(id);
    grown.push_back({id, std::move(*home)});
  }
  return grown;
}

void Pass::stop(const std::vector<JobId>& victims) {
  for (const JobId victim : victims) {
    victims_.insert(victim);
    note_leaving(victim);
    victims_tier_max_ = std::max<std::int64_t>(victims_tier_max_, running().at(victim).job.tier);
    coming_.give_back(*running().at(victim).yielded());
  }
}

// For the first that fit nowhere, and at the cost of smaller jobs of no higher tier.
bool Pass::move_others(Decision& decision) {
  if (reservations_ || waiting_tried_ >= moves_tried_max) return false;
  if (!engine_.settings().moves || engine_.movable_count() == 0) return false;
  engine_.note_work(movable_tried_max * std::ssize(decision.need->usable));
  const ResolvedRequest& need = need_later(*decision.need, decision.job.time_limit);
  if (!need.ever_fits) return false;
  const auto units =
      static_cast<double>(need.gpus > 0 ? need.nodes * need.gpus : need.tasks * need.cpus_per_task);
  std::vector<VictimCandidate> movable;
  for (const auto& [id, running] : running()) {
    const RunningJob& job = running.job;
    if (!job.movable || is_stopping(running) || has_started(id) || job.tier > decision.job.tier)
      continue;
    if (job.loss_per_second_units >= units) continue;
    if (now_ - job.began < engine_.settings().order_exempt) continue;
    if (spared(engine_.settings(), job, job.tier, now_)) continue;  // it is only moved
    movable.push_back({&running, std::llround(job.loss_per_second_units * 1'000)});
  }
  auto found = consolidate(
      need, [this](const RunningJob& job) -> const ResolvedRequest& { return need_anew(job); },
      nodes(), coming_, movable);
  if (!found) return false;
  decision.need = &need;
  ++waiting_tried_;
  decision.outcome = Outcome::Preempts;
  decision.shares = std::move(found->place);
  decision.moves = std::move(found->moves);
  for (const Move& move : decision.moves) decision.victims.push_back(move.job);
  std::ranges::sort(decision.victims);
  stop(decision.victims);
  for (const Move& move : decision.moves) {
    note_leaving(move.job, -1);
    keep(move.home);
  }
  keep_for(decision, std::nullopt);
  return true;
}

std::vector<Freed> Pass::freed_by(const std::vector<JobId>& victims) const {
  std::vector<Freed> freed;
  for (const JobId victim : victims) {
    const Running& running = engine_.running().at(victim);
    std::optional<Boot> end = running.job.ends_by;
    if (reservations_) end = reservations_->end_of(running.shares, end);
    freed.push_back({running.yielded(), running.shares, end, {}});
    if (running.job.suspends) freed.back().stays = *running.rest;
  }
  return freed;
}

}  // namespace cox::schedule
