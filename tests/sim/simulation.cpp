// The cluster: its parts, and how they are fed.
#include "tests/sim/simulation.h"

namespace cox::sim {
namespace {

constexpr Milliseconds tick_interval{500};
constexpr Milliseconds faults_last{160'000};
constexpr Milliseconds peace_max{2'000'000};
constexpr std::uint32_t owner_uid = 1000;
constexpr std::string_view client_end = "client-";  // and whose

ControllerConfig short_times() {
  ControllerConfig c;
  c.cluster_name = "sim";
  c.checkpoint_root = "/checkpoints";
  c.partitions = {{"all", {}, true, 0, 0, 0}};
  c.heartbeat = Milliseconds{2'000};
  c.node_timeout = Milliseconds{6'000};
  c.lease = Milliseconds{20'000};
  c.lease_grace = Milliseconds{3'000};
  c.kill_wait = Milliseconds{2'000};
  c.lease_margin = Milliseconds{2'000};
  c.prepare_timeout = Milliseconds{10'000};
  c.launch_retry_max = Milliseconds{4'000};
  c.min_job_age = Milliseconds{3'600'000};
  c.owner_uid = owner_uid;
  return c;
}

}  // namespace

Simulation::Simulation(std::uint64_t seed, PlantedBug planted, bool whole_story)
    : scene_(seed, planted, whole_story),
      judge_(scene_, storage_),
      shared_(scene_, judge_),
      network_(scene_,
               [this](const std::string& from, const std::string& to, const Message& message,
                      Milliseconds sent) { deliver(from, to, message, sent); }),
      config_(short_times()) {
  database_->tables.qos = {{"critical", 3, PreemptMode::Off, 4'000, {}, {}},
                           {"standard", 2, PreemptMode::Checkpoint, 5'000, {}, {}},
                           {"besteffort", 1, PreemptMode::Requeue, 0, {}, {}},
                           {"patient", 1, PreemptMode::Requeue, 3'000, 1, 5},
                           {"paused", 1, PreemptMode::Suspend, 3'000, {}, {}},
                           {"spare", 0, PreemptMode::Cancel, 2'000, {}, {}}};
  administration_.set_up(config_, database_->tables);
  judge_.begin(config_, database_->tables);
  if (scene_.planted == PlantedBug::NeverCloses)
    for (PartitionConfig& partition : config_.partitions) partition.hours.clear();
  scene_.faults = Faults::random(scene_.random);
  faults_in_use_ = scene_.random.below(1 << 16);
  std::vector<std::string> names;
  const std::int64_t nodes = scene_.random.between(3, 4);
  for (std::int64_t i = 1; i <= nodes; ++i) {
    make_station(i);
    names.push_back("n" + std::to_string(i));
  }
  clients_ = std::make_unique<Clients>(scene_, judge_, shared_, network_, administration_, names);
}

void Simulation::make_station(std::int64_t index) {
  Node node;
  node.name = "n" + std::to_string(index);
  node.total.cpus = scene_.random.between(3, 6);
  node.total.memory_mb = 2000;
  const std::int64_t gpus = scene_.random.between(0, 3);
  const std::string type = scene_.random.one_in(3) ? "a100" : "h100";
  for (std::int64_t i = 0; i < gpus; ++i)
    node.total.gpus.push_back({static_cast<std::int32_t>(i), type, ""});
  node.address = "127.0.0." + std::to_string(10 + index);
  node.boot_id = "boot";
  auto station = std::make_unique<Station>();
  Station* place = station.get();
  station->machine = std::make_unique<Machine>(scene_, judge_, storage_, shared_, std::move(node),
                                               [this, place] { run_worker_soon(*place); });
  stations_.push_back(std::move(station));
}

// What a dead worker said may still come, from its kernel's buffers; but not from before a reboot,
// and not to another controller than it was said to. A living one's words wait for any controller.
bool Simulation::died_with_its_connection(const std::string& from, Milliseconds sent) const {
  for (const auto& station : stations_) {
    if (station->machine->node().name != node_of_end(from)) continue;
    if (sent < station->booted) return true;
    const bool dead = station->worker == nullptr || end_of(*station) != from;
    return dead && sent < controller_started_;
  }
  return false;
}

void Simulation::deliver(const std::string& from, const std::string& to, const Message& message,
                         Milliseconds sent) {
  if (to == "controller") {
    if (controller_ == nullptr || died_with_its_connection(from, sent)) return;
    Caller caller;
    const bool is_person = from.starts_with(client_end);
    caller.kind = is_person ? Caller::Kind::Client : Caller::Kind::Worker;
    caller.node = node_of_end(from);
    caller.user_name = is_person ? from.substr(client_end.size()) : "sim";
    caller.uid = owner_uid;
    controller_->receive({from, caller, message}, controller_now());
    run_controller_soon();
    return;
  }
  if (to.starts_with(client_end)) return clients_->hear(message);
  for (auto& station : stations_) {
    if (station->worker == nullptr || end_of(*station) != to) continue;
    station->worker->receive(message, station->machine->now());
    run_worker(*station);
  }
}

// ---- the controller ----------------------------------------------------------------------------

Now Simulation::controller_now() const {
  return {boot_from_ms(50'000) + scene_.agenda.now(), scene_.wall()};
}

void Simulation::start_controller() {
  store_ = std::make_unique<SimStore>(scene_, judge_, database_, [this] { run_controller_soon(); });
  controller_ = std::make_unique<Controller>(config_, *store_);
  controller_started_ = scene_.agenda.now();
  scene_.story.say("controller", "starts");
  controller_->start(controller_now());
  run_controller_soon();
}

// Its last turn may be in flight: it happens at once, later, or never.
void Simulation::crash_controller(const std::string& why) {
  if (controller_ == nullptr) return;
  scene_.story.say("controller", "dies: " + why);
  controller_.reset();
  SimStore* store = store_.get();
  store->outlive();
  past_stores_.push_back(std::move(store_));
  if (scene_.random.one_in(3)) {
    store->finish_late();
  } else if (scene_.random.one_in(2)) {
    scene_.agenda.after(scene_.random.time(1, 6'000), [store] { store->finish_late(); });
  }
  scene_.agenda.after(scene_.random.time(50, scene_.random.one_in(5) ? 30'000 : 3'000),
                      [this] { start_controller(); });
}

void Simulation::run_controller_soon() {
  if (run_due_) return;
  run_due_ = true;
  scene_.agenda.after(scene_.random.time(0, 3), [this] {
    run_due_ = false;
    run_controller();
  });
}

void Simulation::run_controller() {
  if (controller_ == nullptr) return;
  controller_->run(controller_now());
  for (const auto& remark : controller_->take_remarks())
    if (remark.warning) scene_.story.say("controller", remark.text);
  for (const auto& out : controller_->take_outgoing()) {
    if (scene_.faults.active && scene_.random.one_in(scene_.faults.controller_crash_one_in))
      return crash_controller("between two messages");
    network_.send("controller", out.peer, out.message);
  }
  if (controller_->superseded()) return crash_controller("superseded");
  judge_controller();
}

// Whenever a turn is through, or everything was loaded anew.
void Simulation::judge_controller() {
  if (!controller_->ready() || !store_->at_rest()) return;
  const std::pair state{database_->tables.term, database_->tables.turn};
  if (std::exchange(judged_, state) == state) return;
  judge_.turn_is_through();
  if (!store_lies(scene_.planted)) judge_.controller_rests(controller_->cluster());
}

void Simulation::tick_controller() {
  scene_.agenda.after(tick_interval, [this] { tick_controller(); });
  if (controller_ == nullptr) return;
  controller_->tick(controller_now());
  run_controller();
}

// ---- the workers -------------------------------------------------------------------------------

std::string Simulation::end_of(const Station& station) const {
  return "worker-" + station.machine->node().name + "#" + std::to_string(station.session);
}

void Simulation::start_worker(Station& station) {
  Machine& machine = *station.machine;
  station.session += 1;
  machine.worker_starts();
  station.worker = std::make_unique<Worker>(machine.node(), std::to_string(station.session), true,
                                            machine, machine);
  scene_.story.say(machine.node().name, "worker starts");
  run_worker(station);
}

void Simulation::crash_worker(Station& station, const std::string& why) {
  if (station.worker == nullptr) return;
  scene_.story.say(station.machine->node().name, "worker dies: " + why);
  station.machine->worker_dies();
  station.worker.reset();
  scene_.agenda.after(scene_.random.time(50, scene_.random.one_in(5) ? 40'000 : 3'000),
                      [this, &station] { start_worker(station); });
}

void Simulation::run_worker_soon(Station& station) {
  if (station.run_due) return;
  station.run_due = true;
  scene_.agenda.after(scene_.random.time(0, 3), [this, &station] {
    station.run_due = false;
    run_worker(station);
  });
}

// Takes in what supervisors said, and sends: any effect may be its last.
void Simulation::run_worker(Station& station) {
  if (station.worker == nullptr) return;
  station.worker->run(station.machine->now());
  for (const auto& message : station.worker->take_outgoing()) {
    if (station.machine->worker_is_doomed()) break;
    if (scene_.faults.active && scene_.random.one_in(scene_.faults.worker_crash_one_in)) {
      crash_worker(station, "between two messages");
      return;
    }
    network_.send(end_of(station), "controller", message);
  }
  if (station.machine->worker_is_doomed()) crash_worker(station, "between two effects");
}

void Simulation::tick_worker(Station& station) {
  scene_.agenda.after(tick_interval, [this, &station] { tick_worker(station); });
  if (station.worker == nullptr) return;
  station.worker->run(station.machine->now());
  station.worker->tick(station.machine->now());
  run_worker(station);
}

// ---- the run -----------------------------------------------------------------------------------

std::string Simulation::run() {
  Random& random = scene_.random;
  start_controller();
  scene_.agenda.after(random.time(0, 500), [this] { tick_controller(); });
  for (auto& station : stations_) {
    Station* one = station.get();
    scene_.agenda.after(random.time(0, 2'000), [this, one] {
      start_worker(*one);
      tick_worker(*one);
    });
  }
  clients_->plan_submissions(random.between(4, 10), faults_last * 2 / 3);
  plan_fault();
  scene_.agenda.after(faults_last, [this] { make_peace(); });
  while (!scene_.story.is_violated()) {
    scene_.agenda.run_next();
    if (!peace_since_) continue;
    if (all_is_done()) return "";
    if (scene_.agenda.now() > *peace_since_ + peace_max)
      scene_.story.violated("in peace not everything ended: " + what_is_left());
  }
  return scene_.story.text();
}

std::string simulate(std::uint64_t seed, PlantedBug planted, bool whole_story) {
  return Simulation(seed, planted, whole_story).run();
}

}  // namespace cox::sim
