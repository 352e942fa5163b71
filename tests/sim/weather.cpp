// What goes wrong, and when; and the peace after it.
#include "tests/sim/simulation.h"

namespace cox::sim {
namespace {

constexpr std::int64_t kinds_of_fault = 9;
constexpr Milliseconds release_interval{30'000};

}  // namespace

Simulation::Station& Simulation::some_station() {
  return *stations_[static_cast<std::size_t>(scene_.random.below(std::ssize(stations_)))];
}

void Simulation::plan_fault() {
  scene_.agenda.after(scene_.random.time(300, 9'000), [this] {
    if (peace_since_) return;
    strike();
    plan_fault();
  });
}

void Simulation::strike() {
  Random& random = scene_.random;
  const std::int64_t kind = random.below(kinds_of_fault);
  // People meddle in every run; the other faults are in use or not, as the seed has it.
  if (kind >= 2 && (faults_in_use_ >> kind & 1) == 0) return;
  Station& station = some_station();
  const std::string& node = station.machine->node().name;
  switch (kind) {
    case 2: return crash_controller("a fault");
    case 3: return crash_worker(station, "a fault");
    case 4: {
      const Milliseconds time =
          random.one_in(2) ? random.time(1'000, 8'000) : random.time(15'000, 60'000);
      const std::int64_t ways = random.below(4);
      scene_.story.say("network", node + " is cut off for " + std::to_string(time.count()) + " ms" +
                                      (ways == 0 ? ", it hears" : "") +
                                      (ways == 1 ? ", it is heard" : ""));
      return network_.cut(node, ways != 1, ways != 0, time);
    }
    case 5: return station.machine->kill_supervisor();
    case 6:
      station.machine->reboot();
      station.booted = scene_.agenda.now();
      return crash_worker(station, "the node reboots");
    case 7: scene_.story.say("storage", "a file is damaged"); return storage_.damage_one(random);
    case 8: {
      const Milliseconds time = random.time(1'000, random.one_in(3) ? 50'000 : 5'000);
      scene_.story.say("store", "away for " + std::to_string(time.count()) + " ms");
      if (store_ != nullptr) store_->go_away(time);
      return;
    }
    default: return clients_->meddle();
  }
}

void Simulation::make_peace() {
  if (!peace_since_) {
    scene_.story.say("peace", "nothing goes wrong any more");
    peace_since_ = scene_.agenda.now();
    scene_.faults = Faults::none();
    network_.heal();
    if (store_ != nullptr) store_->come_back();
  }
  clients_->lift_limits();
  clients_->release_all();
  scene_.agenda.after(release_interval, [this] { make_peace(); });
}

bool Simulation::all_is_done() const {
  if (!clients_->all_answered()) return false;
  for (const auto& [id, job] : judge_.jobs())
    if (!is_final(job.state)) return false;
  for (const auto& station : stations_)
    if (!station->machine->empty()) return false;
  return true;
}

std::string Simulation::verdict_on(JobId id) const {
  if (controller_ == nullptr || !controller_->ready()) return "";
  const Cluster& cluster = controller_->cluster();
  return cluster.job(id) == nullptr ? " unknown" : " [" + cluster.verdict_of(id).detail + "]";
}

std::string Simulation::what_is_left() const {
  std::string text;
  if (!clients_->all_answered()) text += "a submission is not answered; ";
  for (const auto& [id, job] : judge_.jobs())
    if (!is_final(job.state))
      text += "job " + std::to_string(id.value) + " " + std::string(name(job.state)) + " (" +
              job.why + ")" + verdict_on(id) + "; ";
  for (const auto& station : stations_)
    if (!station->machine->empty())
      text += station->machine->node().name + ":" + station->machine->text() + "; ";
  return text;
}

}  // namespace cox::sim
