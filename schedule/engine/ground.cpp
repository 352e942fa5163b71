#include "schedule/engine/ground.h"

#include <utility>

namespace cox::schedule {
namespace {

// work, in nodes examined, that resolving a request counts for each node
constexpr std::int64_t resolve_work = 4;

// Returns what the job would still hold after all jobs up to this tier were preempted; null:
// nothing.
const GangParts* left_if_all_preempted(const Running& running, std::int64_t tier_max) {
  const RunningJob& job = running.job;
  if (job.stopping) return nullptr;
  if (job.suspended) return &*running.rest;
  if ((!job.preemptable && !job.movable) || job.tier > tier_max) return &*running.shares;
  return job.suspends ? &*running.rest : nullptr;
}

}  // namespace

Ground::Ground(std::vector<SchedulerNode> nodes, const Settings& settings,
               std::vector<AdvanceReservation> reservations)
    : nodes_(std::move(nodes), settings),
      matcher_(nodes_, settings.placement),
      free_(matcher_.idle()),
      alike_(std::make_unique<NodeGroups>(nodes_, free_)),
      advance_(std::make_unique<AdvanceReservations>(nodes_, std::move(reservations))) {}

bool Ground::take_availability(const std::vector<SchedulerNode>& nodes) {
  if (!nodes_.take_availability(nodes)) return false;
  forget_needs();
  return true;
}

void Ground::set_reservations(std::vector<AdvanceReservation> all) {
  forget_needs();
  advance_ = std::make_unique<AdvanceReservations>(nodes_, std::move(all));
}

void Ground::forget_needs() {
  watches_.clear();
  for (auto& [tier_max, preempted] : if_preempted_) preempted.watches.clear();
  alike_ = std::make_unique<NodeGroups>(nodes_, free_);
  matcher_.forget_all();
}

// Drops all existing rankings of nodes, since they were computed with the older counts.
void Ground::learn(const DemandProfile& usual) {
  if (usual_version_ == usual.version()) return;
  usual_version_ = usual.version();
  matcher_.learn(usual);
  usual_ = usual.counts();
  for (auto& [need, watch] : watches_) watch.ranking.reset();
}

void Ground::add(const Running& running) {
  for (auto& [tier_max, preempted] : if_preempted_)
    if (const GangParts* stays = left_if_all_preempted(running, tier_max))
      preempted.room.take(*stays);
}

void Ground::remove(const Running& running) {
  for (auto& [tier_max, preempted] : if_preempted_)
    if (const GangParts* stays = left_if_all_preempted(running, tier_max))
      preempted.room.give_back(*stays);
}

std::int64_t Ground::follow(Watch& watch, const ResolvedRequest& need,
                            const TrackedRoom& room) const {
  std::int64_t work = 0;
  const bool followed = room.follow(watch.fitting_followed, [&](NodeAt at) {
    ++work;
    if (watch.fitting) watch.fitting->node_changed(at, room);
  });
  if (followed && watch.fitting) return work;
  watch.fitting.emplace(need, nodes_, room);
  return work + std::ssize(need.usable);
}

bool Ground::fits(const ResolvedRequest& need, PreemptedRoom& preempted) const {
  Watch& watch = preempted.watches[&need];
  follow(watch, need, preempted.room);
  return watch.fitting->enough() && preempted.room.room().has_licences(need.licences);
}

bool Ground::fits_if_all_preempted(const ResolvedRequest& need, std::int64_t tier_max,
                                   const std::map<JobId, Running>& running) {
  const auto known = if_preempted_.find(tier_max);
  if (known != if_preempted_.end()) return fits(need, known->second);
  Room room = matcher_.idle();
  for (const auto& [id, one] : running)
    if (const GangParts* stays = left_if_all_preempted(one, tier_max)) room.take(*stays);
  return fits(need, if_preempted_.emplace(tier_max, std::move(room)).first->second);
}

const ResolvedRequest& Ground::need_at(const Request& request, Boot from,
                                       std::optional<Milliseconds> lasts) {
  const std::int64_t resolved_before = matcher_.resolved_so_far();
  const ResolvedRequest& need = matcher_.need(request, Availability::Required,
                                              advance_->closed(request.reservation, from, lasts));
  note_work(resolve_work * (matcher_.resolved_so_far() - resolved_before) * nodes_.size());
  return need;
}

bool Ground::fits_now(const ResolvedRequest& need) {
  Watch& watch = watches_[&need];
  note_work(follow(watch, need, free_));
  return watch.fitting->enough() && free_.room().has_licences(need.licences);
}

Ranking& Ground::ranking_of(const ResolvedRequest& need) {
  note_work(alike_->follow());
  Watch& watch = watches_[&need];
  if (!watch.ranking) watch.ranking.emplace(need, *alike_);
  return *watch.ranking;
}

std::vector<NodeAt> Ground::best_now(const ResolvedRequest& need) {
  Ranking& ranking = ranking_of(need);
  const std::int64_t before = ranking.work();
  std::vector<NodeAt> best = ranking.best();
  note_work(ranking.work() - before);
  return best;
}

std::vector<NodeAt> Ground::holding_now(const ResolvedRequest& need) {
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

}  // namespace cox::schedule
