// The machine from its supervisors' side: their events in virtual time, and their actions.
#include <signal.h>

#include "common/base/check.h"
#include "tests/sim/machine.h"

namespace cox::sim {

using namespace supervisor;

Machine::Folder* Machine::find(AttemptKey key, std::int64_t life) {
  const auto it = folders_.find(key);
  return it == folders_.end() || it->second.life != life ? nullptr : &it->second;
}

void Machine::feed_later(Folder& folder, Milliseconds delay, supervisor::Event event) {
  scene_.agenda.after(
      delay, [this, key = folder.launch.key, life = folder.life, event = std::move(event)] {
        if (find(key, life) != nullptr) feed(key, event);
      });
}

void Machine::feed(AttemptKey key, const supervisor::Event& event) {
  Folder& folder = folders_.at(key);
  if (folder.supervision == nullptr) return;
  std::vector<supervisor::Event> events{event};
  while (!events.empty() && folder.supervision != nullptr) {
    const auto actions = folder.supervision->on(events.front(), now());
    events.erase(events.begin());
    for (const auto& action : actions) {
      if (scene_.faults.happens(Fault::SupervisorDiesBetween)) {
        log("supervisor of " + text_of(key) + " dies between two actions");
        supervisor_dies(folder);
      }
      if (folder.supervision == nullptr) return;
      act(folder, action);
    }
    for (auto& next : std::exchange(folder.follow_up, {})) events.push_back(std::move(next));
  }
  if (folder.supervision != nullptr) wake_at(folder);
}

void Machine::wake_at(Folder& folder) {
  const auto at = folder.supervision->wakeup();
  if (at && *at < Boot::max()) feed_later(folder, clock_.until(*at), supervisor::Tick{});
}

void Machine::act(Folder& folder, const Action& action) {
  std::visit([&](const auto& a) { act_one(folder, a); }, action);
}

// ---- actions -----------------------------------------------------------------------------------

// Runs a prolog or an epilog. If its supervisor is killed, it is killed too and reports nothing.
void Machine::act_one(Folder& folder, const RunNodeProgram& action) {
  Random& dice = scene_.faults.dice(Fault::SitePrograms);
  const bool fails = dice.one_in(4) && scene_.faults.active();
  feed_later(folder, dice.time(10, 6'000),
             NodeProgramEnded{fails ? node_program_error(action.which, "exit code 1", "") : ""});
}

supervisor::Event Machine::prepare_outcome(const Folder& folder, const PrepareNode& action) {
  if (scene_.faults.happens(Fault::FullDisk)) return PrepareFailed{{"the disk is full", ""}, true};
  if (action.empty_output_until) {
    if (now().boot >= *action.empty_output_until) return PrepareLate{};
    judge_.output_emptied(folder.launch);
  }
  if (!folder.launch.resume) return Prepared{action.reserve_port ? 29'500 : 0};
  const ResumeFrom& resume = *folder.launch.resume;
  const LaunchSpec& launch = folder.launch;
  const bool is_own = resume.job == JobId{};
  const AttemptKey saved_by{is_own ? launch.key.job : resume.job, resume.attempt};
  const std::string& identity = is_own ? launch.job_identity : launch.resume_identity;
  const std::vector<std::int32_t> ranks =
      action.verify_all ? storage_.sealed_ranks(saved_by, resume.step) : action.verify_ranks;
  if (action.verify_all && ranks.empty())
    return PrepareFailed{{"no manifest", ""}, true, ResumeFault::Unreadable};
  for (const auto rank : ranks) {
    if (storage_.is_of_another(saved_by, resume.step, rank, identity))
      judge_.resumed_from_another_job(launch.key, saved_by);
    const auto verdict = storage_.verify(saved_by, resume.step, rank);
    if (verdict == Storage::Verdict::NeverWhole)
      judge_.resumed_from_what_never_was(launch.key, saved_by, resume.step);
    if (verdict == Storage::Verdict::NeverWhole ||
        scene_.faults.happens(Fault::UnreadableCheckpoint))
      return PrepareFailed{
          {"a file of the checkpoint cannot be read", ""}, true, ResumeFault::Unreadable};
    if (verdict == Storage::Verdict::Damaged)
      return PrepareFailed{
          {"a file of the checkpoint has changed", ""}, false, ResumeFault::Differs};
  }
  return Prepared{action.reserve_port ? 29'500 : 0};
}

void Machine::act_one(Folder& folder, const PrepareNode& action) {
  Milliseconds delay = scene_.random.time(20, 400);
  if (scene_.faults.happens(Fault::SlowDisk))
    delay += scene_.faults.dice(Fault::SlowDisk).time(5'000, 15'000);
  const std::int64_t work = folder.file_work;
  scene_.agenda.after(delay, [this, key = folder.launch.key, life = folder.life, work, action] {
    Folder* folder = find(key, life);
    if (folder == nullptr || folder->file_work != work) return;
    const auto outcome = prepare_outcome(*folder, action);
    if (std::holds_alternative<Prepared>(outcome) && starts_without_go(folder->launch.nodes.size()))
      judge_.node_ready(key, node_.name);
    feed(key, outcome);
    if (scene_.planted == PlantedBug::GoesUnasked && find(key, life) != nullptr)
      feed(key, GoOrdered{});
  });
}

void Machine::act_one(Folder& folder, const StartRanks& action) {
  for (const auto rank : action.ranks) {
    if (scene_.faults.happens(Fault::RankCannotStart)) {
      judge_.rank_cannot_start(folder.launch.key);
      folder.follow_up.push_back(RankStartFailed{rank, 1, "no such program"});
      continue;
    }
    folder.running.insert(rank);
    judge_.rank_starts(folder.launch, rank);
    folder.follow_up.push_back(RankStarted{rank});
    shared_.gang(folder.launch, storage_).rank_started(rank, *this);
  }
}

void Machine::act_one(Folder& folder, const SignalRanks& action) {
  for (const auto rank : std::set<std::int32_t>(folder.running))
    for (const auto signal : action.signals) {
      judge_.rank_signalled(folder.launch, rank, signal);
      shared_.gang(folder.launch, storage_).rank_signalled(rank, signal);
    }
}

// Stops the ranks (SIGSTOP) after a random delay, between two of their training steps.
void Machine::act_one(Folder& folder, const FreezeEverything& action) {
  folder.freezing = action.number;
  scene_.agenda.after(scene_.random.time(0, 300),
                      [this, key = folder.launch.key, life = folder.life, number = action.number] {
                        Folder* folder = find(key, life);
                        if (folder == nullptr || folder->freezing != number) return;
                        folder->freezing.reset();
                        if (scene_.planted != PlantedBug::FreezesInWordsOnly)
                          set_frozen(*folder, true);
                        judge_.is_suspended(folder->launch);
                        feed(key, Frozen{number});
                      });
}

void Machine::act_one(Folder& folder, const ThawEverything&) {
  folder.freezing.reset();
  const bool to_end = folder.supervision->status().phase == NodePhase::Stopping;
  if (folder.frozen) log(text_of(folder.launch.key) + " is resumed");
  to_end ? judge_.resumes_only_to_end(folder.launch.key) : judge_.attempt_resumes(folder.launch);
  set_frozen(folder, false);
}

void Machine::set_frozen(Folder& folder, bool frozen) {
  folder.frozen = frozen;
  for (const auto rank : std::set<std::int32_t>(folder.running))
    shared_.gang(folder.launch, storage_).rank_frozen(rank, frozen);
}

void Machine::act_one(Folder& folder, const KillEverything&) {
  folder.freezing.reset();
  scene_.agenda.after(
      scene_.random.time(0, 300),
      [this, key = folder.launch.key, life = folder.life] { kill_what_is_left(key, life); });
}

void Machine::kill_what_is_left(AttemptKey key, std::int64_t life) {
  Folder* folder = find(key, life);
  if (folder == nullptr) return;
  for (const auto rank : std::set<std::int32_t>(folder->running)) {
    rank_exits(key, rank, 0, SIGKILL);
    shared_.gang(folder->launch, storage_).rank_killed(rank);
  }
  folder->steps.clear();
  if (folder->exits_on_the_way == 0) return feed(key, Emptied{});
  scene_.agenda.after(Milliseconds{10}, [this, key, life] { kill_what_is_left(key, life); });
}

void Machine::act_one(Folder& folder, const Seal& action) {
  const std::int64_t work = folder.file_work;
  Milliseconds delay = scene_.random.time(5, 900);
  if (scene_.faults.happens(Fault::SlowDisk))
    delay += scene_.faults.dice(Fault::SlowDisk).time(1'000, 8'000);
  scene_.agenda.after(delay, [this, key = folder.launch.key, life = folder.life, work, action] {
    Folder* folder = find(key, life);
    if (folder == nullptr || folder->file_work != work) return;
    Sealed sealed;
    sealed.number = action.number;
    if (action.is_repeat) {
      // The files have not changed.
    } else if (scene_.faults.happens(Fault::SaveFails)) {
      sealed.refused = Refusal{"a file cannot be flushed", ""};
    } else if (scene_.planted == PlantedBug::SealsNothing && action.step) {
      sealed.saved = SavedStep{*action.step, 100, 1, false};
    } else if (const auto step = storage_.seal(key, action.rank, action.step, action.above_step)) {
      sealed.saved = SavedStep{*step, 100, 1, false};
    } else if (action.step) {
      sealed.refused = Refusal{"there is no such step", ""};
    }
    feed(key, sealed);
  });
}

void Machine::act_one(Folder& folder, const AnswerSave& action) {
  const auto rank = static_cast<std::int32_t>(action.token);
  scene_.agenda.after(scene_.random.time(0, 20), [this, launch = folder.launch, rank, action] {
    shared_.gang(launch, storage_).save_answered(rank, !action.refused.has_value());
  });
}

void Machine::act_one(Folder& folder, const Publish&) {
  const AttemptStatus& status = folder.supervision->status();
  if (folder.disk && status.revision < folder.disk->revision)
    scene_.story.violated("the revision of a status goes back: " + text_of(status.key));
  const bool news = !folder.disk || folder.disk->phase != status.phase;
  folder.disk = status;
  if (status.phase == NodePhase::Ready) judge_.node_ready(status.key, node_.name);
  if (news) log(text_of(status.key) + " is " + std::string(name(status.phase)));
  if (status.phase == NodePhase::Gone && !folder.running.empty())
    scene_.story.violated("attempt " + text_of(status.key) + " is Gone and its ranks still run");
  if (doomed_ || folder.is_stray) return;
  launcher_events_.push_back(SupervisorReported{status});
  const bool ran = status.phase == NodePhase::Running || status.phase == NodePhase::Stopping;
  AttemptStatus& reported = std::get<SupervisorReported>(launcher_events_.back()).status;
  if (scene_.planted == PlantedBug::TakesGraceFromLimit && ran) reported.ran_ms += 4'000;
  if (scene_.planted == PlantedBug::ForgetsThatItAsked)
    for (RankStatus& rank : reported.ranks) rank.asked_to_stop = false;
  wake_();
}

void Machine::act_one(Folder& folder, const Finish&) {
  folder.supervision.reset();
}

// ---- ranks -------------------------------------------------------------------------------------

void Machine::rank_exits(AttemptKey key, std::int32_t rank, std::int32_t code,
                         std::int32_t signal) {
  Folder& folder = folders_.at(key);
  if (folder.running.erase(rank) == 0) return;
  judge_.rank_ends(folder.launch, rank, code, signal);
  log("rank " + std::to_string(rank) + " of " + text_of(key) + " exits with " +
      (signal != 0 ? "signal " + std::to_string(signal) : std::to_string(code)));
  if (folder.supervision == nullptr) return;
  folder.exits_on_the_way += 1;
  scene_.agenda.after(scene_.random.time(0, 20),
                      [this, key, life = folder.life, rank, code, signal] {
                        Folder* folder = find(key, life);
                        if (folder == nullptr) return;
                        folder->exits_on_the_way -= 1;
                        feed(key, RankExited{rank, code, signal, false});
                      });
}

void Machine::rank_asks_to_save(AttemptKey key, std::int32_t rank, std::int64_t step) {
  Folder& folder = folders_.at(key);
  if (folder.supervision != nullptr)
    feed_later(folder, scene_.random.time(0, 20), SaveRequested{{-1, rank}, step, rank});
}

}  // namespace cox::sim
