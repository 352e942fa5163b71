#include "schedule/pass/victim_search.h"

#include <algorithm>

#include "schedule/model/request_chain.h"
#include "schedule/place/place.h"
#include "schedule/queue/order.h"

namespace cox::schedule {
namespace {

// Work, in nodes examined, that looking at one running job as a victim counts.
constexpr std::int64_t victim_work = 16;
// number of later times tried; each costs a search for victims
constexpr std::size_t moments_max = 8;
constexpr std::int64_t any_tier = std::numeric_limits<std::int32_t>::max();

// Returns whether the job's time limit ends by `at`.
bool is_over_by(const Running& running, Boot at) {
  return running.job.ends_by && *running.job.ends_by <= at;
}

}  // namespace

std::optional<Victims> VictimSearch::find(Decision& decision) {
  const std::int64_t tier_max = highest_preemptable_tier(decision);
  Engine& engine = facts_.engine();
  if (!decision.job.may_preempt || !engine.counts().any_preemptable(tier_max)) return std::nullopt;
  decision.need = &facts_.need_later(*decision.need, decision.job.time_limit);
  if (!decision.need->ever_fits) return std::nullopt;
  if (!engine.ground().fits_if_all_preempted(*decision.need, std::max(tier_max, tier_max_),
                                             engine.running()))
    return std::nullopt;
  return find_at(decision, facts_.now());
}

bool VictimSearch::may_find_for_kind(const PendingJob& job, const ResolvedRequest& need) {
  Engine& engine = facts_.engine();
  std::int64_t tier_most = highest_tier_by_order(job);
  if (quotas_.has_unmet_guarantee()) {
    tier_most = any_tier;
  } else if (!above_share().empty() && quotas_.may_fit_a_share(need)) {
    tier_most = job.tier;
  }
  if (!job.may_preempt || !engine.counts().any_preemptable(tier_most)) return false;
  const ResolvedRequest& later = facts_.need_later(need, job.time_limit);
  return later.ever_fits && engine.ground().fits_if_all_preempted(
                                later, std::max(tier_most, tier_max_), engine.running());
}

std::optional<Victims> VictimSearch::find_at(const Decision& decision, Boot at) {
  auto victims = by_tier_and_quota(decision, at);
  if (victims && !limits_.leaves_room(decision.job, *decision.need, ids_of(*victims)))
    victims.reset();
  return victims;
}

std::optional<LaterPreemption> VictimSearch::find_later(const Decision& decision) {
  if (!decision.job.may_preempt) return std::nullopt;
  std::set<Boot> moments;
  for (const auto& [id, running] : facts_.running())
    if (running.job.preemptable && !decided_.is_stopping(running) && !decided_.has_started(id))
      if (const auto spare =
              spared(facts_.settings(), running.job, decision.job.tier, facts_.now()))
        moments.insert(spare->until);
  Decision later;
  later.job = decision.job;
  std::optional<Milliseconds> lasts = decision.job.time_limit;
  if (lasts) *lasts += preemption_time_max;
  std::size_t tried = 0;
  for (const Boot at : moments) {
    if (tried++ == moments_max) break;
    for (const Request& one : RequestChain(*decision.job.request)) {
      later.need = &facts_.need_at(one, at, lasts);
      if (!later.need->ever_fits) continue;
      if (auto found = find_place_at(later, at)) return found;
    }
  }
  return std::nullopt;
}

std::optional<LaterPreemption> VictimSearch::find_place_at(const Decision& later, Boot at) {
  const auto victims = find_at(later, at);
  if (!victims) return std::nullopt;
  Room left = room_without(*victims, later, at);
  auto shares = place(*later.need, facts_.nodes(), left);
  if (!shares) return std::nullopt;
  left.take(*shares);
  return LaterPreemption{at, ids_of(*victims), std::move(*shares), std::move(left)};
}

Room VictimSearch::room_if_all_preempted(const Decision& decision) {
  Room room = rooms_.coming();
  for (const VictimCandidate& one :
       preemptable_for(decision, reclaim_for(decision), facts_.now()).all)
    room.give_back(*one.running->freed_by_preemption());
  return room;
}

Room VictimSearch::room_without(const Victims& victims, const Decision& decision, Boot at) const {
  Room room = room_for(decision, at);
  for (const Running* victim : victims) room.give_back(*victim->freed_by_preemption());
  return room;
}

// Returns the room for the decision's job before any preemption. If `at` is now: the room that will
// be free. If `at` is later: also the room of jobs whose time limits end by then, without what is
// reserved for jobs before this one.
Room VictimSearch::room_for(const Decision& decision, Boot at) const {
  if (at == facts_.now()) return backfill_.open_coming();
  const Reservations* reservations = backfill_.reservations();
  Room room = reservations
                  ? reservations->spare_beside(decision.job.id, rooms_.coming(), std::nullopt)
                  : rooms_.coming();
  for (const auto& [id, running] : facts_.running())
    if (!decided_.is_stopping(running) && !decided_.has_started(id) && is_over_by(running, at))
      room.give_back(*running.held());
  return room;
}

std::vector<Freed> VictimSearch::freed_by(const Victims& victims) const {
  std::vector<Freed> freed;
  freed.reserve(victims.size());
  for (const Running* victim : victims) {
    const Running& running = *victim;
    std::optional<Boot> end = running.job.ends_by;
    if (const Reservations* reservations = backfill_.reservations())
      end = reservations->end_of(running.shares, end);
    freed.push_back({running.freed_by_preemption(), running.shares, end, {}});
    if (running.job.suspends) freed.back().stays = *running.rest;
  }
  return freed;
}

void VictimSearch::stop(const Victims& victims) {
  for (const Running* victim : victims) {
    decided_.note_victim(victim->job.id);
    quotas_.note_leaving(victim->job.id);
    tier_max_ = std::max<std::int64_t>(tier_max_, victim->job.tier);
    rooms_.add_coming(*victim->freed_by_preemption());
  }
}

std::optional<Reclaim> VictimSearch::reclaim_for(const Decision& decision) const {
  if (quotas_.quotas().is_empty()) return std::nullopt;
  return quotas_.reclaim(decision.job, *decision.need);
}

// Returns the highest tier from which any job may be preempted for this one.
std::int64_t VictimSearch::highest_preemptable_tier(const Decision& decision) const {
  Reclaim::Right right = Reclaim::Right::None;
  if (const auto reclaim = reclaim_for(decision)) right = reclaim->most();
  if (right == Reclaim::Right::ByGuarantee) return any_tier;
  if (right == Reclaim::Right::ByShare) return decision.job.tier;
  return highest_tier_by_order(decision.job);
}

// Returns the same without quotas.
std::int64_t VictimSearch::highest_tier_by_order(const PendingJob& job) const {
  const bool inside = preempts_inside_tier(facts_.settings().order);
  return inside ? job.tier : std::int64_t{job.tier} - 1;
}

bool VictimSearch::has_victim_by_tier(const PendingJob& job) const {
  return facts_.engine().counts().any_preemptable(highest_tier_by_order(job));
}

std::optional<Victims> VictimSearch::by_tier_and_quota(const Decision& decision, Boot at) {
  std::optional<Reclaim> by_quota = reclaim_for(decision);
  auto victims = choose(decision, by_quota, at);
  if (victims || !by_quota || by_quota->most() != Reclaim::Right::ByGuarantee) return victims;
  by_quota->reach_into_shares();
  return choose(decision, by_quota, at);
}

// Chooses victims among all candidates. If quotas let each of these be preempted but not all
// together, chooses again among candidates of which every subset may be preempted.
std::optional<Victims> VictimSearch::choose(const Decision& decision,
                                            const std::optional<Reclaim>& by_quota, Boot at) {
  const ResolvedRequest& need = *decision.need;
  const PreemptableJobs yielding = preemptable_for(decision, by_quota, at);
  if (yielding.all.empty()) return std::nullopt;
  facts_.ground().note_work(std::ssize(need.usable));
  const Room room = room_for(decision, at);
  auto victims = choose_victims(need, facts_.nodes(), room, yielding.all);
  if (!victims || !by_quota || may_all_be_preempted(*by_quota, yielding, *victims)) return victims;
  for (const Prefer prefer : {Prefer::Cheap, Prefer::Large}) {
    victims = choose_victims(need, facts_.nodes(), room, together(*by_quota, yielding, prefer));
    if (victims) break;
  }
  return victims;
}

PreemptableJobs VictimSearch::preemptable_for(const Decision& decision,
                                              const std::optional<Reclaim>& reclaim, Boot at) {
  PreemptableJobs found;
  const auto consider = [&](const Running& running) {
    if (auto one = yielding(decision, running, reclaim, found.reclaimed, at))
      found.all.push_back(*one);
  };
  const bool by_share_alone =
      reclaim && !reclaim->reaches_into_shares() && !has_victim_by_tier(decision.job);
  if (by_share_alone) {
    facts_.ground().note_work(victim_work * std::ssize(above_share()));
    for (const Running* running : above_share()) consider(*running);
  } else {
    facts_.ground().note_work(victim_work * std::ssize(facts_.running()));
    for (const auto& [id, running] : facts_.running()) consider(running);
  }
  return found;
}

std::optional<VictimCandidate> VictimSearch::yielding(const Decision& decision,
                                                      const Running& running,
                                                      const std::optional<Reclaim>& reclaim,
                                                      std::set<JobId>& reclaimed, Boot at) const {
  const Settings& settings = facts_.settings();
  const JobId id = running.job.id;
  if (decided_.is_stopping(running) || decided_.has_started(id)) return std::nullopt;
  // room_for() already counts the room of this job as free
  if (at > facts_.now() && is_over_by(running, at)) return std::nullopt;
  auto cost = preemption_cost(settings, decision.job, running, at);
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

// Returns all jobs that may be preempted by share, for any preemptor. Cached, since they usually
// are few and change only when the pass chooses victims.
const std::vector<const Running*>& VictimSearch::above_share() {
  Version version{quotas_.above_share(), decided_.victim_count(), quotas_.leaving_version()};
  if (above_share_version_ == version) return above_share_;
  above_share_version_ = std::move(version);
  above_share_.clear();
  if (quotas_.above_share().empty()) return above_share_;
  const Reclaim::QuotaState state = quotas_.state();
  for (const auto& [id, running] : facts_.running())
    if (running.job.preemptable && !decided_.is_stopping(running) && !decided_.has_started(id) &&
        state.is_above_share(id))
      above_share_.push_back(&running);
  return above_share_;
}

}  // namespace cox::schedule
