#include "controller/feed/engine_feed.h"

#include <utility>

#include "common/base/check.h"
#include "controller/feed/engine_input.h"
#include "controller/feed/fair_share.h"
#include "controller/job/per_spec_cache.h"
#include "controller/state/reservations.h"

namespace cox {

EngineFeed::EngineFeed(Cluster& cluster) : cluster_(cluster) {
  begin_anew();
}

void EngineFeed::begin_anew() {
  const auto waits =
      scheduler_ ? scheduler_->engine().waits().all() : std::vector<schedule::LongestWaits::Kept>{};
  scheduler_ = std::make_unique<schedule::Scheduler>(std::vector<schedule::SchedulerNode>{},
                                                     cluster_.config().scheduling);
  scheduler_->engine().restore_waits(waits);
  clocks_apart_.reset();
  charged_limits_ = 0;
  room_there_is_.clear();
  possible_.clear();
  Dirty& dirty = cluster_.dirty();
  dirty.nodes = dirty.quotas = dirty.charges = dirty.fair_shares = true;
  dirty.asked.clear();
  for (const auto& [id, entry] : cluster_.jobs().all()) {
    dirty.asked.push_back(id);
    dirty.mark(id);
  }
}

schedule::Engine& EngineFeed::engine(Now now) {
  if (std::exchange(cluster_.dirty().everything, false)) begin_anew();
  update_nodes(now);
  update_reservations(now);
  update_jobs(now);
  update_charges(now);
  update_quotas();
  return scheduler_->engine();
}

schedule::Scheduler& EngineFeed::scheduler(Now now) {
  engine(now);
  return *scheduler_;
}

void EngineFeed::update_nodes(Now now) {
  forget_possible_if_stale();
  Dirty& dirty = cluster_.dirty();
  if (!dirty.nodes && now.boot < silence_turns_long_) return;
  dirty.nodes = false;
  // Reservations close briefly silent nodes to the engine, so they are updated, too. The end of a
  // brief silence changes no row, but pending reasons.
  dirty.reservations = true;
  cluster_.soft().reasons_made_at = -1;
  room_there_is_.clear();
  scheduler_->engine().set_nodes(scheduler_nodes(cluster_, now.boot));
  silence_turns_long_ = next_long_silence(cluster_, now.boot);
}

// Reservations name the time of day, but the engine uses the boot clock. If the time of day was
// set, they are put into the engine anew.
void EngineFeed::update_reservations(Now now) {
  constexpr Milliseconds drift_max{1'000};
  const Milliseconds apart = now.wall.time_since_epoch() - now.boot.time_since_epoch();
  const bool is_set = clocks_apart_ && std::chrono::abs(apart - *clocks_apart_) >= drift_max;
  if (clocks_apart_ && !is_set && !cluster_.dirty().reservations) return;
  cluster_.dirty().reservations = false;
  // The start times of running jobs are converted to the boot clock, too.
  if (is_set)
    for (const JobId id : cluster_.jobs().live()) cluster_.dirty().mark(id);
  scheduler_->engine().set_reservations(scheduler_reservations(cluster_, now));
  clocks_apart_ = apart;
}

void EngineFeed::update_jobs(Now now) {
  const Dirty changed = {.jobs = std::exchange(cluster_.dirty().jobs, {}),
                         .asked = std::exchange(cluster_.dirty().asked, {})};
  for (const JobId id : changed.asked)
    if (const JobEntry* e = cluster_.job(id))
      scheduler_->engine().learn(*cluster_.requests().of_spec(e->job.spec));
  for (const auto& [id, way] : changed.jobs) update_job(id, way, now);
  cluster_.soft().longest_waits = scheduler_->engine().waits();
}

void EngineFeed::update_job(JobId id, Dirty::Way way, Now now) {
  schedule::Engine& engine = scheduler_->engine();
  if (way == Dirty::Way::LosesClaim) engine.drop_claim(id);
  const JobEntry* e = cluster_.job(id);
  if (e != nullptr)
    if (const auto wait = first_wait_of(cluster_, *e))
      engine.learn_wait(wait->standing, wait->started, wait->time);
  if (e != nullptr && e->live_attempt() != nullptr)
    return engine.put(running_job(cluster_, *e, now));
  if (e == nullptr || !e->is_eligible()) {
    engine.remove(id);
    if (e == nullptr || is_final(e->job.state) || e->job.held || e->kept_out) engine.drop_claim(id);
    if (e == nullptr) return;
    if (const auto life = lifetime_of(*e)) engine.learn_ended(id, life->units, life->service);
    return;
  }
  if (way == Dirty::Way::Copies && engine.queue().contains(id))
    return engine.set_copies(id, task_count(e->job));
  schedule::PendingJob job = pending_job(cluster_, *e);
  cluster_.keep_priority(id, job.priority);
  engine.put(std::move(job));
}

void EngineFeed::claim(JobId id, Placement placement, Now now) {
  if (const auto at = cluster_.dirty().jobs.find(id); at != cluster_.dirty().jobs.end()) {
    update_job(id, at->second, now);
    cluster_.dirty().jobs.erase(at);
  }
  scheduler_->engine().claim(id, std::move(placement));
}

// A run may reorder a queue of 100,000 jobs. So the more jobs this run has moved, the later the
// next run is due: fair shares take only a small part of the controller's time.
void EngineFeed::settle_fair_shares(Now now) {
  constexpr std::int64_t moved_per_ms = 50;
  const ControllerConfig& config = cluster_.config();
  const bool is_counted = cluster_.accounting().accounts().are_used() &&
                          config.scheduling.priority.fair_share > 0 &&
                          config.scheduling.order == OrderPolicy::Multifactor;
  if (!is_counted || now.boot < fair_shares_due_) return;
  const bool period_over = now.boot - fair_shares_settled_ >= config.usage.period;
  if (!cluster_.dirty().fair_shares && !period_over) return;
  cluster_.dirty().fair_shares = false;
  fair_shares_settled_ = now.boot;
  std::map<AssociationId, double> shares;
  for (const auto& [id, share] : fair_shares(cluster_, now)) shares[id] = share.factor;
  PerSpecCache<AssociationId> charged;
  const auto charged_to = [this](const JobSpec& spec) {
    const Association* own = cluster_.accounting().accounts().of(spec);
    return Shared<AssociationId>(own == nullptr ? AssociationId{} : own->id);
  };
  std::int64_t work =
      std::ssize(cluster_.jobs().live()) + std::ssize(cluster_.accounting().accounts().all());
  for (const JobId id : cluster_.jobs().unfinished()) {
    const JobEntry& e = *cluster_.job(id);
    if (!e.is_eligible()) continue;
    const AssociationId own = *charged.of(e.job.spec, charged_to);
    if (own == AssociationId{}) continue;
    const auto share = shares.find(own);
    if (share != shares.end() && share->second == cluster_.accounting().fair_share_of(own))
      continue;
    cluster_.dirty().mark(id);
    ++work;
  }
  cluster_.keep_fair_shares(std::move(shares));
  fair_shares_due_ = now.boot + Milliseconds{work / moved_per_ms};
}

void EngineFeed::forget_possible_if_stale() {
  if (std::exchange(cluster_.dirty().totals, false)) possible_.clear();
}

std::optional<std::int64_t> EngineFeed::known_possible(const PossibleKey& key) {
  forget_possible_if_stale();
  const auto it = possible_.find(key);
  if (it == possible_.end()) return std::nullopt;
  return it->second;
}

void EngineFeed::note_possible(PossibleKey key, std::int64_t nodes) {
  constexpr std::size_t shapes_max = 4096;
  if (possible_.size() >= shapes_max) possible_.clear();
  possible_.emplace(std::move(key), nodes);
}

void EngineFeed::verify() const {
  const Dirty& dirty = std::as_const(cluster_).dirty();
  if (dirty.everything) return;
  const schedule::Engine& engine = std::as_const(*scheduler_).engine();
  std::size_t waiting = 0;
  std::size_t running = 0;
  for (const auto& [id, e] : cluster_.jobs().all()) {
    waiting += engine.queue().contains(id) ? 1 : 0;
    running += engine.running().contains(id) ? 1 : 0;
    if (dirty.jobs.contains(id)) continue;
    CHECK(engine.queue().contains(id) == e.is_eligible());
    CHECK(engine.running().contains(id) == (e.live_attempt() != nullptr));
  }
  // Checks nothing while changes of jobs wait for update_jobs(): until then the engine still has
  // jobs that have left memory.
  if (!dirty.jobs.empty()) return;
  CHECK(waiting == engine.queue().size() && running == engine.running().size());
}

}  // namespace cox
