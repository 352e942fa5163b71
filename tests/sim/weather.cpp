// Decides which faults strike and when; then ends all faults (peace).
#include <chrono>

#include "common/base/check.h"
#include "controller/scheduling/ineligible.h"
#include "tests/sim/simulation.h"

namespace cox::sim {
namespace {

constexpr Milliseconds release_interval{30'000};
constexpr Milliseconds year = std::chrono::hours{365 * 24};
// The weight of a person's random request beside the faults, each of which has weight 1.
constexpr std::int64_t meddling_parts = 2;

}  // namespace

Station& Simulation::some_station(Random& dice) {
  return *stations_[static_cast<std::size_t>(dice.below(std::ssize(stations_)))];
}

// Returns the leader in half of all calls, otherwise any controller.
Post& Simulation::some_post(Random& dice) {
  const bool leader = dice.one_in(2);
  for (const auto& post : posts_)
    if (leader && post->leads()) return *post;
  return *posts_[static_cast<std::size_t>(dice.below(std::ssize(posts_)))];
}

void Simulation::plan_fault() {
  scene_.agenda.after(weather_.time(300, 6'000), [this] {
    if (peace_since_) return;
    strike();
    plan_fault();
  });
}

void Simulation::strike() {
  const std::vector<Fault>& all = scene_.faults.strokes();
  const std::int64_t which = weather_.below(std::ssize(all) + meddling_parts);
  if (which >= std::ssize(all)) return clients_->meddle();
  const Fault fault = all[static_cast<std::size_t>(which)];
  if (!scene_.faults.in_use(fault)) return;
  scene_.faults.note(fault);
  strike(fault);
}

void Simulation::strike(Fault fault) {
  Random& dice = scene_.faults.dice(fault);
  switch (fault) {
    case Fault::OneWayLoss:
    case Fault::NodeCutOff:
    case Fault::Halves:
    case Fault::ControllerCutOff: return cut_off(fault);
    case Fault::StoreAway: return store_stops(dice);
    case Fault::ControllerDies: return some_post(dice).dies("a fault");
    case Fault::ControllerStops:
      return some_post(dice).is_suspended(dice.time(500, dice.one_in(3) ? 60'000 : 8'000));
    case Fault::ControllerEnds: return some_post(dice).ends_well();
    case Fault::WorkerDies: return some_station(dice).worker_dies("a fault");
    case Fault::WorkerStops:
      return some_station(dice).worker_stops(dice.time(1'000, dice.one_in(3) ? 40'000 : 6'000));
    case Fault::SupervisorDies: return some_station(dice).kill_supervisor();
    case Fault::NodeReboots: return some_station(dice).reboot();
    case Fault::SpoolChanges: return some_station(dice).change_spool();
    case Fault::WallClockJumps: {
      // The clocks of two controllers never differ by more than an hour: the controller takes usage
      // farther ahead of its clock for the mark of a wrong clock and ignores it (add_usage).
      if (dice.one_in(3)) return some_post(dice).set_wall_off_by(dice.time(-1'700'000, 1'700'000));
      return some_station(dice).set_wall_off_by(dice.time(-3'600'000, 3'600'000));
    }
    case Fault::DamagedCheckpoint:
      scene_.story.log("storage", "a file is damaged");
      return storage_.damage_one(dice);
    default: CHECK(false);  // faults of kinds other than Strikes are never picked
  }
}

void Simulation::store_stops(Random& dice) {
  const Milliseconds time = dice.time(1'000, dice.one_in(3) ? 50'000 : 5'000);
  const bool for_all = dice.one_in(2);
  Post& one = some_post(dice);
  scene_.story.log("store", "away for " + std::to_string(time.count()) + " ms, for " +
                                (for_all ? "all" : one.name()));
  for (const auto& post : posts_)
    if (for_all || post.get() == &one) post->store_goes_away(time);
}

// ---- a restored database -----------------------------------------------------------------------

void Simulation::plan_restore() {
  Random& dice = scene_.faults.dice(Fault::DatabaseRestored);
  const bool comes = scene_.faults.in_use(Fault::DatabaseRestored) && dice.one_in(3);
  const Milliseconds saved = dice.time(4'000, 60'000);
  const Milliseconds restored = saved + dice.time(5'000, 80'000);
  if (!comes) return;
  scene_.agenda.after(saved, [this] {
    if (database_->tables.term == Term{}) return;  // no controller has led yet
    scene_.story.log("store", "a copy of the database is made");
    backup_ = database_->tables;
    judge_.make_backup();
  });
  scene_.agenda.after(restored, [this] { restore(); });
}

void Simulation::restore() {
  if (!backup_) return;
  scene_.faults.note(Fault::DatabaseRestored);
  for (const auto& post : posts_) post->dies("the database is restored");
  scene_.story.log("store", "the copy is restored");
  MemoryTables& tables = database_->tables;
  // A higher timeline shows the next leader that the database was restored.
  backup_->timeline = tables.timeline + 1;
  tables = *backup_;
  config_.accept_loss = true;  // the copy may be from before the first attempt
  judge_.restore_backup();
  clients_->forget_lost_jobs();
}

// ---- a clock that is years off -----------------------------------------------------------------

void Simulation::plan_clock_step() {
  Random& dice = scene_.faults.dice(Fault::ClockStepsYears);
  const bool comes = scene_.faults.in_use(Fault::ClockStepsYears) && dice.one_in(2);
  const Milliseconds at = dice.time(4'000, 80'000);
  const Milliseconds lasts = dice.time(1'000, dice.one_in(2) ? 5'000 : 60'000);
  const Milliseconds step = year * dice.between(1, 5) * (dice.one_in(3) ? -1 : 1);
  if (!comes) return;
  scene_.agenda.after(at, [this, &dice, lasts, step] {
    if (peace_since_) return;
    scene_.faults.note(Fault::ClockStepsYears);
    Post& post = some_post(dice);
    post.set_wall_off_by(step);
    scene_.agenda.after(lasts, [&post] { post.set_wall_off_by(Milliseconds{0}); });
  });
}

// ---- partitions --------------------------------------------------------------------------------

Places Simulation::all_places() const {
  Places all{people_place};
  for (const auto& post : posts_) all.insert(post->name());
  for (const auto& station : stations_) all.insert(station->name());
  return all;
}

void Simulation::cut_off(Fault fault) {
  Random& dice = scene_.faults.dice(fault);
  const Milliseconds time = dice.one_in(2) ? dice.time(1'000, 8'000) : dice.time(15'000, 60'000);
  const Places all = all_places();
  const Places node{some_station(dice).name()};
  if (fault == Fault::NodeCutOff) return cut(fault, {node, all, true, time});
  if (fault == Fault::OneWayLoss) {
    return dice.one_in(2) ? cut(fault, {node, all, false, time})
                          : cut(fault, {all, node, false, time});
  }
  Places some;
  Places others;
  for (const std::string& place : all) (dice.one_in(2) ? some : others).insert(place);
  if (fault == Fault::Halves) return cut(fault, {some, others, true, time});
  const Places controller{some_post(dice).name()};
  some.erase(*controller.begin());
  cut(fault, {controller, some, dice.one_in(2), time});
}

void Simulation::cut(Fault fault, const Partition& partition) {
  const auto list = [](const Places& places) {
    std::string text;
    for (const std::string& place : places) text += (text.empty() ? "" : ",") + place;
    return text;
  };
  scene_.story.log("network", "nothing " + std::string(partition.both_ways ? "between " : "from ") +
                                  list(partition.some) + (partition.both_ways ? " and " : " to ") +
                                  list(partition.others) + " for " +
                                  std::to_string(partition.time.count()) + " ms");
  network_.cut(fault, partition.some, partition.others, partition.time);
  if (partition.both_ways) network_.cut(fault, partition.others, partition.some, partition.time);
}

// ---- peace -------------------------------------------------------------------------------------

void Simulation::make_peace() {
  if (!peace_since_) {
    scene_.story.log("peace", "no fault strikes any more");
    peace_since_ = scene_.agenda.now();
    scene_.faults.end();
    network_.heal();
    for (const auto& post : posts_) {
      post->store_comes_back();
      post->set_wall_off_by(Milliseconds{0});
    }
  }
  clients_->lift_limits();
  clients_->release_all();
  if (scene_.planted == PlantedBug::ForgetsHolds)
    scene_.agenda.after(release_interval / 3, [this] {
      for (const auto& post : posts_) post->dies("to load the database again");
    });
  scene_.agenda.after(release_interval, [this] { make_peace(); });
}

bool Simulation::all_is_done() const {
  if (!clients_->all_answered()) return false;
  for (const auto& [id, job] : judge_.jobs())
    if (!is_final(job.state)) return false;
  for (const auto& station : stations_)
    if (!station->machine().is_empty()) return false;
  return true;
}

std::string Simulation::verdict_on(JobId id) const {
  for (const auto& post : posts_) {
    const Cluster* cluster = post->cluster();
    if (cluster == nullptr) continue;
    const JobEntry* e = cluster->job(id);
    if (e == nullptr) return " unknown";
    const auto ineligible = why_ineligible(*cluster, e->job, {Boot{}, scene_.wall()});
    return " [" +
           (ineligible ? ineligible_text(*ineligible)
                       : cluster->soft().pending_reason_of(id).detail) +
           "]";
  }
  return "";
}

std::string Simulation::what_is_left() const {
  std::string text;
  if (!clients_->all_answered()) text += "a submission is not answered; ";
  for (const auto& [id, job] : judge_.jobs())
    if (!is_final(job.state))
      text += "job " + std::to_string(id.value) + " " + std::string(name(job.state)) + " (" +
              *job.why + ")" + verdict_on(id) + "; ";
  for (const auto& station : stations_)
    if (!station->machine().is_empty())
      text += station->name() + ":" + station->machine().text() + "; ";
  return text;
}

}  // namespace cox::sim
