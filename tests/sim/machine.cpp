// The machine from its worker's side: folders, and supervisors that start and die.
#include "tests/sim/machine.h"

#include <signal.h>

#include <algorithm>
#include <utility>

#include "common/base/check.h"

namespace cox::sim {

using namespace supervisor;

Gang& Shared::gang(const LaunchSpec& launch, Storage& storage) {
  auto& gang = gangs_[{launch.job_identity, launch.key}];
  if (gang == nullptr)
    gang = std::make_unique<Gang>(scene_, judge_, storage, behaviours_.at(launch.spec.work_dir),
                                  launch);
  return *gang;
}

Machine::Machine(Scene& scene, Judge& judge, Storage& storage, Shared& shared, Node node,
                 std::function<void()> wake)
    : scene_(scene),
      judge_(judge),
      storage_(storage),
      shared_(shared),
      node_(std::move(node)),
      wake_(std::move(wake)),
      clock_(scene, boot_from_ms(1000)) {
  judge_.node_is(node_.name, node_.total);
  if (scene_.planted == PlantedBug::ClaimsMoreThanThereIs) node_.total.cpus *= 2;
  if (scene_.planted == PlantedBug::DriftsBeyondTheBound) clock_.drift_by(-333'000);
}

bool Machine::is_empty() const {
  return std::ranges::all_of(
      folders_, [](const auto& one) { return one.second.is_stray && one.second.running.empty(); });
}

std::string Machine::text() const {
  std::string text;
  for (const auto& [key, folder] : folders_)
    text += " " + text_of(key) + "(" +
            std::string(folder.disk ? name(folder.disk->phase) : "unpublished") + "," +
            std::to_string(folder.running.size()) + " ranks)";
  return text;
}

// ---- faults ------------------------------------------------------------------------------------

void Machine::reboot() {
  log("reboots");
  clock_.reboot(boot_from_ms(1000));
  node_.boot_id += "'";
  doomed_ = true;
  for (auto& [key, folder] : folders_) {
    supervisor_dies(folder);
    end_ranks(folder);
  }
}

void Machine::change_spool() {
  if (scene_.planted != PlantedBug::HidesItsNewSpool) node_.spool_id += "'";
  doomed_ = true;
  for (auto& [key, folder] : folders_) folder.is_stray = true;
}

void Machine::kill_supervisor() {
  for (auto& [key, folder] : folders_) {
    if (folder.supervision == nullptr) continue;
    if (scene_.faults.dice(Fault::SupervisorDies).one_in(2)) continue;
    log("supervisor of " + text_of(key) + " is killed");
    return supervisor_dies(folder);
  }
}

// Kills the supervisor. Within 200 ms its ranks end too, and the worker gets the loss as an event.
void Machine::supervisor_dies(Folder& folder) {
  if (folder.supervision == nullptr) return;
  folder.supervision.reset();
  folder.lost = true;
  folder.life = next_life_++;
  const AttemptKey key = folder.launch.key;
  const std::int64_t life = folder.life;
  scene_.agenda.after(scene_.random.time(0, 200), [this, key, life] {
    Folder* folder = find(key, life);
    if (folder == nullptr) return;
    end_ranks(*folder);
    if (doomed_ || folder->is_stray || (folder->disk && folder->disk->phase == NodePhase::Gone))
      return;
    launcher_events_.push_back(loss_of(*folder));
    wake_();
  });
}

LauncherEvent Machine::loss_of(const Folder& folder) const {
  AttemptStatus status = folder.status();
  if (scene_.planted != PlantedBug::ReportsNoLoss) return SupervisorLost{folder.launch.key, status};
  status.phase = NodePhase::Gone;
  status.revision += 1;
  for (RankStatus& rank : status.ranks) {
    rank.phase = RankPhase::Exited;
    rank.exit_code = 1;
  }
  return SupervisorReported{status};
}

void Machine::end_ranks(Folder& folder) {
  if (!folder.running.empty()) judge_.is_lost_under(folder.launch.key);
  for (const auto rank : std::exchange(folder.running, {})) {
    judge_.rank_ends(folder.launch, rank, 0, SIGKILL);
    shared_.gang(folder.launch, storage_).rank_killed(rank);
  }
}

// Starts a new worker: it first reads every folder, and learns which supervisors are gone.
void Machine::worker_starts() {
  doomed_ = false;
  launcher_events_.clear();
  if (scene_.planted == PlantedBug::ForgetsItsAttempts) return;
  for (auto& [key, folder] : folders_) {
    if (folder.is_stray) continue;
    const AttemptStatus status = folder.status();
    launcher_events_.push_back(SupervisorReported{status});
    if (!folder.lost) continue;
    end_ranks(folder);  // the launcher kills what is left
    if (status.phase != NodePhase::Gone) launcher_events_.push_back(loss_of(folder));
  }
}

// ---- Launcher ----------------------------------------------------------------------------------

bool Machine::effect() {
  if (doomed_) return false;
  if (commanded_by_) judge_.node_obeys(node_.name, *commanded_by_);
  if (scene_.faults.happens(Fault::WorkerDiesBetween)) {
    log("worker dies between two effects");
    doomed_ = true;
  }
  return !doomed_;
}

Failure Machine::prepare(const LaunchSpec& launch) {
  if (!effect()) return Refusal{"dead", ""};
  auto [it, is_new] = folders_.try_emplace(launch.key);
  Folder& folder = it->second;
  if (folder.is_stray) scene_.story.violated("attempt " + text_of(launch.key) + " is sent again");
  if (!is_new) return std::nullopt;
  folder.launch = launch;
  if (scene_.planted == PlantedBug::LeaseNeverEnds) folder.launch.lease_ms = 0;
  if (scene_.planted == PlantedBug::GoesHoweverLate && starts_without_go(launch.nodes.size())) {
    folder.launch.go_when_ready = true;
    folder.launch.lease_from = Boot{};
  }
  if (scene_.faults.happens(Fault::SitePrograms)) {
    folder.launch.site.prolog = "prolog";
    folder.launch.site.epilog = "epilog";
  }
  if (scene_.planted == PlantedBug::TakesAnothersStep) take_anothers_step(folder.launch);
  start_supervisor(folder);
  return std::nullopt;
}

// Replaces the checkpoint by one of another job (a planted bug). The file is that of rank 0, so
// this is done only for gangs on one node, which verify it.
void Machine::take_anothers_step(LaunchSpec& launch) const {
  if (!launch.resume || launch.nodes.size() > 1) return;
  const auto taken = storage_.saved_by_another(launch.job_identity);
  if (taken) launch.resume = taken;
}

void Machine::start_supervisor(Folder& folder) {
  folder.life = next_life_++;
  folder.supervision = std::make_unique<Supervision>(folder.launch, now());
  feed_later(folder, scene_.random.time(1, 20), Begun{});
}

void Machine::go(AttemptKey key, const GoOrder& order) {
  send_to_supervisor(key, GoOrdered{order});
}
void Machine::stop(AttemptKey key, const StopOrder& order) {
  send_to_supervisor(key, StopOrdered{order});
  const auto it = folders_.find(key);
  if (scene_.planted != PlantedBug::WarnsAtRequeue || it == folders_.end()) return;
  const std::int32_t signal = it->second.launch.spec.signal.number;
  if (order.why == StopWhy::Requeue && signal != 0)
    send_to_supervisor(key, SignalOrdered{signal, -1, false, true, false});
}
void Machine::suspend(AttemptKey key, const Suspension& order) {
  send_to_supervisor(key, SuspensionOrdered{order});
}
void Machine::renew_lease(AttemptKey key, Boot until) {
  send_to_supervisor(key, LeaseRenewed{until});
}

void Machine::launch_step(AttemptKey key, const StepLaunch& launch) {
  send_to_supervisor(key, StepOrdered{launch});
}
void Machine::stop_step(AttemptKey key, std::int32_t number) {
  send_to_supervisor(key, StepStopOrdered{number});
}
void Machine::signal(const SignalAttempt& order) {
  send_to_supervisor(
      order.key, SignalOrdered{order.signal, order.step, order.to_steps, order.to_batch, false});
}
void Machine::acknowledge(AttemptKey key, std::int64_t revision) {
  send_to_supervisor(key, Acknowledged{revision});
}

void Machine::send_to_supervisor(AttemptKey key, supervisor::Event event) {
  const auto it = folders_.find(key);
  if (!effect() || it == folders_.end() || it->second.supervision == nullptr) return;
  if (it->second.is_stray || scene_.faults.happens(Fault::SupervisorSilent)) return;
  Folder& folder = it->second;
  folder.inbox = std::max(folder.inbox, scene_.agenda.now() + scene_.random.time(0, 20));
  feed_later(folder, folder.inbox - scene_.agenda.now(), std::move(event));
}

void Machine::forget(AttemptKey key) {
  const auto it = folders_.find(key);
  if (!effect() || it == folders_.end()) return;
  const Folder& folder = it->second;
  const bool gone = folder.disk && folder.disk->phase == NodePhase::Gone;
  if (!folder.lost && !gone)
    scene_.story.violated("attempt " + text_of(key) + " is forgotten before it is gone");
  if (!folder.running.empty())
    scene_.story.violated("attempt " + text_of(key) + " is forgotten and its ranks still run");
  folders_.erase(it);
}

void Machine::remove_checkpoint(const std::string&, AttemptKey key, std::int64_t step) {
  if (!effect() || step < 0) return;
  judge_.checkpoint_removed(key, step);
  storage_.remove(key, step);
  launcher_events_.push_back(CheckpointGone{key, step});
}

void Machine::verify_checkpoint(const VerifyCheckpoint& order) {
  if (!effect()) return;
  CheckpointVerified found{"", order.key, order.step, ResumeFault::None, ""};
  for (std::int32_t rank = 0; rank < order.ranks; ++rank) {
    const auto verdict = storage_.verify(order.key, order.step, rank);
    if (verdict == Storage::Verdict::NeverWhole) found.fault = ResumeFault::Unreadable;
    if (verdict == Storage::Verdict::Damaged) found.fault = ResumeFault::Differs;
  }
  launcher_events_.push_back(found);
}

std::vector<LauncherEvent> Machine::poll() {
  return std::exchange(launcher_events_, {});
}

Failure Machine::keep(Term term) {
  if (effect()) term_ = term;
  return std::nullopt;
}

JobId Machine::newest_job() {
  return scene_.planted == PlantedBug::IssuesIdsAgain ? JobId{} : newest_job_;
}

void Machine::note_newest_job(JobId job) {
  if (effect()) newest_job_ = job;
}

}  // namespace cox::sim
