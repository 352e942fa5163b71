// What a pass does to running jobs: which are preempted, which are moved, and which continue on
// fewer or on more nodes.
#include <algorithm>
#include <array>
#include <cmath>

#include "common/base/check.h"
#include "schedule/pass/pass.h"
#include "schedule/place/elastic.h"
#include "schedule/place/place.h"

namespace cox::schedule {
namespace {

// number of elastic gangs tried in one pass; each examines every node
constexpr std::size_t grown_tried_max = 4;

}  // namespace

bool Pass::preempt(Decision& decision) {
  const auto victims = victims_.find(decision);
  if (!victims) return false;
  Room after = victims_.room_without(*victims, decision, facts_.now());
  const std::array<const Room*, 1> preferred{&rooms_.free()};
  auto shares = place(*decision.need, facts_.nodes(), after, preferred);
  CHECK(shares.has_value());  // victims are chosen only if they make room
  const std::vector<Freed> freed = victims_.freed_by(*victims);
  Reservations* reservations = backfill_.reservations();
  if (reservations && !reservations->allows(*shares, std::nullopt, freed)) return false;
  decision.outcome = Outcome::Preempts;
  decision.shares = std::move(*shares);
  decision.victims = ids_of(*victims);
  victims_.stop(*victims);
  after.take(decision.shares);
  shrink(decision, *victims, std::move(after));
  if (reservations) reservations->stopped(freed, facts_.now());
  backfill_.note_promise(decision.shares, decision.job, std::nullopt);
  rooms_.keep(decision.shares);
  for (const Move& move : decision.moves) rooms_.keep(move.home);
  return true;
}

// Gives elastic victims a new place in the room that is left beside the preemptor, as many nodes as
// fit.
void Pass::shrink(Decision& decision, const Victims& victims, Room after) {
  if (backfill_.reservations()) return;
  for (const Running* victim : victims) {
    const RunningJob& job = victim->job;
    if (job.request->nodes_most == 0 || !job.requeued || job.suspends) continue;
    auto home = largest_home(facts_.need_anew(job), facts_.matcher(), facts_.nodes(),
                             facts_.limit_use(), job, after);
    if (!home) continue;
    after.take(*home);
    // while the victim stops, its grants still count against quotas
    quotas_.note_leaving(job.id, -1);
    decision.moves.push_back({job.id, std::move(*home)});
  }
}

// Moves other jobs for one of the first jobs that fit nowhere. Only smaller jobs of no higher tier
// are moved.
bool Pass::move_others(Decision& decision) {
  const Settings& settings = facts_.settings();
  if (backfill_.reservations() || moves_tried_ >= moves_tried_max) return false;
  if (!settings.moves || facts_.engine().counts().movable() == 0) return false;
  facts_.ground().note_work(movable_tried_max * std::ssize(decision.need->usable));
  const ResolvedRequest& need = facts_.need_later(*decision.need, decision.job.time_limit);
  if (!need.ever_fits) return false;
  const auto units =
      static_cast<double>(need.gpus > 0 ? need.nodes * need.gpus : need.tasks * need.cpus_per_task);
  std::vector<VictimCandidate> movable;
  for (const auto& [id, running] : facts_.running()) {
    const RunningJob& job = running.job;
    if (!job.movable || decided_.is_stopping(running) || decided_.has_started(id)) continue;
    if (job.tier > decision.job.tier || job.loss_per_second_units >= units) continue;
    if (facts_.now() - job.began < settings.order_exempt) continue;
    // With its own tier as that of the preemptor: a spent preemption budget exempts it from a move.
    if (spared(settings, job, job.tier, facts_.now())) continue;
    movable.push_back({&running, std::llround(job.loss_per_second_units * 1'000)});
  }
  auto found = consolidate(
      need,
      [this](const RunningJob& job) -> const ResolvedRequest& { return facts_.need_anew(job); },
      facts_.nodes(), rooms_.coming(), movable);
  if (!found) return false;
  decision.need = &need;
  ++moves_tried_;
  decision.outcome = Outcome::Preempts;
  decision.shares = std::move(found->place);
  decision.moves = std::move(found->moves);
  Victims victims;
  for (const Move& move : decision.moves) victims.push_back(&facts_.running().at(move.job));
  std::ranges::sort(victims, {}, [](const Running* victim) { return victim->job.id; });
  decision.victims = ids_of(victims);
  victims_.stop(victims);
  for (const Move& move : decision.moves) {
    quotas_.note_leaving(move.job, -1);
    rooms_.keep(move.home);
  }
  rooms_.keep(decision.shares);
  return true;
}

std::vector<Move> Pass::grow() {
  std::vector<Move> grown;
  std::size_t tried = 0;
  const Settings& settings = facts_.settings();
  const Engine& engine = facts_.engine();
  if (backfill_.reservations() || cursor_.has_waiting_jobs() || !settings.moves) return grown;
  if (engine.counts().elastic() == 0 || engine.counts().movable() == 0) return grown;
  for (const auto& [id, running] : facts_.running()) {
    const RunningJob& job = running.job;
    if (job.request->nodes_most == 0 || !job.movable || decided_.is_stopping(running)) continue;
    if (facts_.now() - job.began < settings.order_exempt) continue;
    if (tried++ == grown_tried_max) break;
    const ResolvedRequest& need = facts_.need_anew(job);
    Room after = rooms_.free();
    after.give_back(*running.shares);
    auto home =
        largest_home(need, facts_.matcher(), facts_.nodes(), facts_.limit_use(), job, after);
    if (!home || home->size() <= running.shares->size()) continue;
    rooms_.add_coming(*running.shares);
    rooms_.keep(*home);
    limits_.hold_home(job, *home, need.whole);
    grown.push_back({id, std::move(*home)});
  }
  return grown;
}

}  // namespace cox::schedule
