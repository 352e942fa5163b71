#include "tests/sim/sim_store.h"

#include <utility>

namespace cox::sim {
namespace {

constexpr Milliseconds look_interval{500};  // interval at which an unreachable store is polled

}  // namespace

SimStore::SimStore(Scene& scene, Judge& judge, std::shared_ptr<MemoryDatabase> database,
                   LastKnownState known, std::function<void()> wake)
    : scene_(scene), judge_(judge), inner_(std::move(database)), wake_(std::move(wake)) {
  inner_.known = std::move(known);
}

void SimStore::load(bool take_term, Wall ended_since) {
  load_requested_ = true;
  inner_.load(take_term, ended_since);
  look_again();
}

void SimStore::commit(Turn turn) {
  if (scene_.planted == PlantedBug::ForgetsLastCommit) return commit_unsurely(std::move(turn));
  Faults& faults = scene_.faults;
  if (faults.happens(Fault::RefusedTurn)) {
    events_.push_back(TurnRejected{turn.number, "22000", "the simulator refuses it"});
    scene_.agenda.after(scene_.random.time(1, 20), [this, life = std::weak_ptr(life_)] {
      if (!life.expired()) wake_();
    });
    return;
  }
  if (faults.happens(Fault::ControllerDiesBetween)) {
    kills_ = true;
    if (faults.dice(Fault::ControllerDiesBetween).one_in(2)) return;
  }
  plant_in(turn);
  turn_ = std::move(turn);
  handed_over_ = checked_ = false;
  Milliseconds delay = scene_.random.time(1, 15);
  if (faults.happens(Fault::SlowStore)) delay += faults.dice(Fault::SlowStore).time(200, 5'000);
  const bool lost = faults.happens(Fault::LostCommit);
  if (lost && scene_.planted == PlantedBug::TakesLostForCommitted) return pretend_committed();
  if (lost) end_connection(Fault::LostCommit, MemoryStore::Fate::Lost);
  const bool ambiguous = !lost && faults.happens(Fault::AmbiguousCommit);
  writes_twice_ = ambiguous && scene_.planted == PlantedBug::TakesAmbiguousForLost;
  if (ambiguous) end_connection(Fault::AmbiguousCommit, MemoryStore::Fate::Ambiguous);
  scene_.agenda.after(delay, [this, life = std::weak_ptr(life_)] {
    if (life.expired()) return;
    hand_over();
    look();
  });
}

void SimStore::end_connection(Fault fault, MemoryStore::Fate fate) {
  inner_.next_commit = fate;
  inner_.outage_polls = static_cast<int>(scene_.faults.dice(fault).between(1, 10));
  scene_.story.log("store",
                   "the connection will die with the next commit: " + std::string(name(fault)));
}

// A planted bug: reports the turn as committed at once, and commits it only when the next turn
// comes.
void SimStore::commit_unsurely(Turn turn) {
  if (unsaved_) {
    inner_.commit(*unsaved_);
    inner_.poll();
    const MemoryTables& tables = inner_.tables();
    const bool is_true = tables.turn == unsaved_->number && tables.term == unsaved_->term;
    if (is_true) judge_.turn_applied(*unsaved_);
  }
  events_.push_back(Committed{turn.number, {}});
  unsaved_ = std::move(turn);
}

void SimStore::hand_over() {
  if (handed_over_ || !turn_) return;
  handed_over_ = true;
  if (scene_.planted == PlantedBug::WritesUnfenced && writes_as_if_it_led()) return;
  inner_.commit(*turn_);
}

void SimStore::look() {
  for (auto& event : inner_.poll()) {
    if (std::holds_alternative<Loaded>(event)) load_requested_ = false;
    if (std::holds_alternative<StoreAway>(event)) away_ = true;
    if (std::holds_alternative<StoreBack>(event)) away_ = false;
    plant_in(event);
    events_.push_back(std::move(event));
  }
  const MemoryTables& tables = inner_.tables();
  if (turn_ && handed_over_ && !checked_ && tables.turn == turn_->number &&
      tables.term == turn_->term) {
    checked_ = true;
    judge_.turn_applied(*turn_);
    if (std::exchange(writes_twice_, false)) judge_.turn_applied(*turn_);
  }
  if (turn_ && handed_over_ && !inner_.has_turn_in_flight()) turn_.reset();
  if (turn_ || load_requested_ || away_ || inner_.away_polls > 0) look_again();
  if (!events_.empty()) wake_();
}

void SimStore::look_again() {
  const bool away = inner_.away_polls > 0;
  scene_.agenda.after(away ? look_interval : scene_.random.time(1, 20),
                      [this, life = std::weak_ptr(life_)] {
                        if (!life.expired()) look();
                      });
}

void SimStore::go_away(Milliseconds time) {
  inner_.away_polls = static_cast<int>(time / look_interval);
  look_again();
}

void SimStore::outlive() {
  life_.reset();
  wake_ = [] {};
}

void SimStore::finish_late() {
  if (!turn_) return;
  inner_.away_polls = 0;
  inner_.next_commit = MemoryStore::Fate::Sure;
  hand_over();
  look();
}

void SimStore::read_history(std::int64_t ticket, JobId job, std::int64_t after_sequence) {
  inner_.read_history(ticket, job, after_sequence);
  look_again();
}

void SimStore::read_array_history(std::int64_t ticket, JobId array, std::int64_t after_sequence) {
  inner_.read_array_history(ticket, array, after_sequence);
  look_again();
}

void SimStore::read_job(std::int64_t ticket, JobId job, bool and_rows) {
  inner_.read_job(ticket, job, and_rows);
  look_again();
}

void SimStore::read_task(std::int64_t ticket, JobId array, std::int64_t task) {
  inner_.read_task(ticket, array, task);
  look_again();
}

void SimStore::read_request(std::int64_t ticket, const std::string& request_id) {
  inner_.read_request(ticket, request_id);
  look_again();
}

void SimStore::read_accounting(std::int64_t ticket, const ListAccounting& ask) {
  inner_.read_accounting(ticket, ask);
  look_again();
}

void SimStore::read_qos(std::int64_t ticket) {
  inner_.read_qos(ticket);
  look_again();
}

void SimStore::read_requests(std::int64_t ticket) {
  inner_.read_requests(ticket);
  look_again();
}

std::vector<StoreEvent> SimStore::poll() {
  return std::exchange(events_, {});
}

}  // namespace cox::sim
