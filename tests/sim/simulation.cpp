// Builds the cluster's parts and delivers messages between them.
#include "tests/sim/simulation.h"

#include "tests/sim/coverage.h"

namespace cox::sim {
namespace {

constexpr Milliseconds faults_last{160'000};
constexpr Milliseconds faults_last_long{900'000};
// The time in which every job must end once faults have ended: 2.5 h. A job may wait for an hour by
// a clock that was an hour ahead, which is two hours; the rest is for its end.
constexpr Milliseconds peace_max{9'000'000};
constexpr std::uint32_t owner_uid = 1000;
// Begins a client's name; the user's name follows.
constexpr std::string_view client_end = "client-";

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
  c.checkpoints_kept_ended = Milliseconds{40'000};
  return c;
}

}  // namespace

Simulation::Simulation(const Setting& setting)
    : scene_(setting),
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
  if (scene_.planted == PlantedBug::LeavesOutTheGrace)
    config_.lease_margin = -(config_.lease_grace + config_.kill_wait);
  if (setting.coverage != nullptr) {
    judge_.count_in(*setting.coverage);
    scene_.faults.seen = [this](Fault fault) {
      scene_.setting.coverage->came(fault, scene_.agenda.now());
    };
    setting.coverage->begin_story();
    for (const Fault fault : scene_.faults.all_in_use())
      if (fault_table[static_cast<std::size_t>(fault)].comes == Comes::AllAlong)
        scene_.faults.note(fault);
  }
  if (scene_.planted == PlantedBug::RequeuesAtOnce) config_.launch_retry_max = Milliseconds{0};
  if (scene_.planted == PlantedBug::KeepsNoCheckpoint) config_.checkpoints_kept = 0;
  make_posts();
  make_stations();
}

void Simulation::make_posts() {
  const std::int64_t posts = scene_.people.between(1, 3);
  for (std::int64_t number = 1; number <= posts; ++number)
    posts_.push_back(std::make_unique<Post>(
        Post::Surroundings{scene_, judge_, network_, config_, database_, row_}, number));
}

void Simulation::make_stations() {
  Random& random = scene_.people;
  std::vector<std::string> names;
  const std::int64_t nodes = random.between(3, scene_.setting.is_long ? 8 : 4);
  for (std::int64_t index = 1; index <= nodes; ++index) {
    Node node;
    node.name = "n" + std::to_string(index);
    node.total.cpus = random.between(3, 6);
    node.total.memory_mb = 2000;
    const std::int64_t gpus = random.between(0, 3);
    const std::string type = random.one_in(3) ? "a100" : "h100";
    for (std::int64_t i = 0; i < gpus; ++i)
      node.total.gpus.push_back({static_cast<std::int32_t>(i), type, ""});
    node.address = "127.0.0." + std::to_string(10 + index);
    node.boot_id = "boot";
    node.spool_id = "spool";
    names.push_back(node.name);
    stations_.push_back(std::make_unique<Station>(scene_, judge_, storage_, shared_, network_,
                                                  std::move(node), posts_.size()));
  }
  clients_ = std::make_unique<Clients>(scene_, judge_, shared_, network_, administration_, names,
                                       posts_.size());
}

// Returns whether the message was lost with its connection. A message of a dead worker may still
// come from the kernel's buffers, but not from before a reboot, and only to the controller process
// that it was sent to. A message of a living worker reaches any controller.
bool Simulation::died_with_its_connection(const Post& to, const std::string& from,
                                          Milliseconds sent) const {
  for (const auto& station : stations_) {
    if (station->name() != place_of(from)) continue;
    if (sent < station->booted()) return true;
    const bool dead = !station->runs() || station->end() != from;
    return dead && sent < to.started();
  }
  return false;
}

void Simulation::deliver_to(Post& post, const std::string& from, const Message& message,
                            Milliseconds sent) {
  if (!post.runs() || died_with_its_connection(post, from, sent)) return;
  Caller caller;
  const bool is_person = from.starts_with(client_end);
  caller.kind = is_person ? Caller::Kind::Client : Caller::Kind::Worker;
  caller.node = is_person ? "" : place_of(from);
  caller.user_name = is_person ? from.substr(client_end.size()) : "sim";
  caller.uid = owner_uid;
  post.receive(from, caller, message);
}

void Simulation::deliver(const std::string& from, const std::string& to, const Message& message,
                         Milliseconds sent) {
  if (to.starts_with(client_end)) return clients_->receive(from, message);
  for (const auto& post : posts_)
    if (post->name() == to) return deliver_to(*post, from, message, sent);
  for (const auto& station : stations_)
    if (station->runs() && station->end() == to) station->receive(from, message);
}

// ---- the run -----------------------------------------------------------------------------------

void Simulation::live() {
  Random& random = scene_.random;
  const bool is_long = scene_.setting.is_long;
  const Milliseconds faults_end = is_long ? faults_last_long : faults_last;
  for (const auto& post : posts_) post->begin(random.time(0, 500));
  for (const auto& station : stations_) station->begin(random.time(0, 2'000));
  jobs_ = is_long ? scene_.people.between(10, 40) : scene_.people.between(4, 10);
  clients_->plan_submissions(jobs_, scene_.setting.without_jobs, faults_end * 2 / 3);
  clients_->plan_crontab(faults_end * 2 / 3);
  plan_fault();
  plan_restore();
  plan_clock_step();
  scene_.agenda.after(faults_end, [this] { make_peace(); });
  while (!scene_.story.is_violated()) {
    scene_.agenda.run_next();
    if (!peace_since_) continue;
    if (all_is_done()) return;
    if (scene_.agenda.now() > *peace_since_ + peace_max)
      scene_.story.violated("not everything ended in peace: " + what_is_left());
  }
}

Outcome Simulation::run() {
  live();
  Outcome outcome;
  outcome.violation = scene_.story.violation();
  if (scene_.story.is_violated()) outcome.story = scene_.story.text();
  outcome.faults = scene_.faults.all_in_use();
  outcome.digest = scene_.story.digest();
  outcome.jobs = jobs_;
  return outcome;
}

Outcome simulate(const Setting& setting) {
  return Simulation(setting).run();
}

}  // namespace cox::sim
