#include "tests/sim/program.h"

#include <signal.h>

#include <algorithm>
#include <utility>

namespace cox::sim {
namespace {

std::size_t rank_count(const LaunchSpec& launch) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < launch.nodes.size(); ++i)
    count += static_cast<std::size_t>(
        ranks_run_on(launch.spec, launch.nodes[i].grant, static_cast<std::int32_t>(i)));
  return count;
}

}  // namespace

Gang::Gang(Scene& scene, Judge& judge, Storage& storage, Behaviour behaviour,
           const LaunchSpec& launch)
    : scene_(scene),
      judge_(judge),
      storage_(storage),
      behaviour_(behaviour),
      key_(launch.key),
      identity_(launch.job_identity),
      save_signal_(launch.spec.checkpoint_signal),
      warning_signal_(launch.spec.signal.number),
      is_only_warned_(warning_signal_ != 0 && !launch.spec.requeue_on_timeout),
      rank0_speaks_(launch.spec.checkpoint_by == CheckpointBy::Rank0),
      ranks_(rank_count(launch)),
      step_(launch.resume && scene.planted != PlantedBug::RestartsFromZero ? launch.resume->step
                                                                           : 0) {}

bool Gang::all_running() const {
  return std::ranges::all_of(ranks_, &Rank::running);
}

void Gang::rank_started(std::int32_t rank, RankHost& host) {
  Rank& one = ranks_[static_cast<std::size_t>(rank)];
  one.host = &host;
  one.running = true;
  if (stepping_ || leaving_ || !all_running()) return;
  stepping_ = true;
  step_later();
}

void Gang::step_later() {
  scene_.agenda.after(behaviour_.step_time, [this] { step(); });
}

void Gang::do_when_it_runs(std::int32_t rank, std::function<void()> what) {
  Rank& one = ranks_[static_cast<std::size_t>(rank)];
  if (!one.stands) return what();
  one.held.push_back(std::move(what));
}

void Gang::rank_frozen(std::int32_t rank, bool still) {
  Rank& one = ranks_[static_cast<std::size_t>(rank)];
  one.stands = still;
  if (still) return;
  for (const auto& what : std::exchange(one.held, {})) scene_.agenda.after(Milliseconds{0}, what);
}

// Does the next training step, which all ranks do together (a barrier).
void Gang::step() {
  const auto still = std::ranges::find_if(ranks_, &Rank::stands);
  if (still != ranks_.end())
    return do_when_it_runs(static_cast<std::int32_t>(still - ranks_.begin()), [this] { step(); });
  if (leaving_ || !all_running()) return;
  if (step_ < behaviour_.steps) judge_.step_done(key_, ++step_);
  if (step_ == behaviour_.exit_75_at) return all_exit(exit_code_saved);
  if (step_ == behaviour_.fail_at) return exit_later(0, 1, 0, Milliseconds{0});
  if (step_ >= behaviour_.steps) {
    judge_.work_done(key_);
    return all_exit(0);
  }
  const bool own_will = behaviour_.save_every > 0 && step_ % behaviour_.save_every == 0;
  if (save_wanted_ || own_will) return save();
  step_later();
}

void Gang::save() {
  saves_to_leave_ = save_wanted_;
  save_failed_ = false;
  for (std::size_t i = 0; i < ranks_.size(); ++i)
    if (speaks(static_cast<std::int32_t>(i))) ranks_[i].awaits_answer = true;
  for (std::size_t i = 0; i < ranks_.size(); ++i) {
    const auto rank = static_cast<std::int32_t>(i);
    if (!speaks(rank)) continue;
    scene_.agenda.after(scene_.random.time(5, 400),
                        [this, rank] { do_when_it_runs(rank, [this, rank] { save_rank(rank); }); });
  }
}

void Gang::save_rank(std::int32_t rank) {
  Rank& one = ranks_[static_cast<std::size_t>(rank)];
  if (!one.running) return;
  storage_.write(key_, step_, rank, identity_);
  if (saves_to_leave_ && behaviour_.manner == Manner::ReportsByExit75) {
    one.awaits_answer = false;
    settle_save();
  } else {
    one.host->rank_asks_to_save(key_, rank, step_);
  }
}

void Gang::save_answered(std::int32_t rank, bool saved) {
  Rank& one = ranks_[static_cast<std::size_t>(rank)];
  if (!one.awaits_answer) return;
  one.awaits_answer = false;
  save_failed_ = save_failed_ || !saved;
  settle_save();
}

// Continues when all ranks have saved (a barrier); until then no rank continues or exits.
void Gang::settle_save() {
  if (leaving_ || !all_running() || std::ranges::any_of(ranks_, &Rank::awaits_answer)) return;
  if (!saves_to_leave_) return step_later();
  const bool zero = behaviour_.manner == Manner::SavesAndExits0;
  all_exit(save_failed_ ? 1 : zero ? 0 : exit_code_saved);
}

void Gang::rank_signalled(std::int32_t rank, std::int32_t signal) {
  if (!ranks_[static_cast<std::size_t>(rank)].running || leaving_) return;
  if (behaviour_.manner == Manner::IgnoresSignals || signal == SIGCONT) return;
  if (asks_to_save(signal)) return asked_to_stop(rank);
  // Any other signal ends the rank, which has no handler for it.
  exit_later(rank, 0, signal, scene_.random.time(0, 50));
}

// Returns whether the signal asks to save. For a job that chose no signal, SIGTERM does.
bool Gang::asks_to_save(std::int32_t signal) const {
  if (save_signal_ == 0 && warning_signal_ == 0) return signal == SIGTERM;
  return signal == save_signal_ || signal == warning_signal_;
}

void Gang::asked_to_stop(std::int32_t rank) {
  if (behaviour_.ask_for_requeue && rank == 0) behaviour_.ask_for_requeue(key_.job);
  switch (behaviour_.manner) {
    case Manner::RankDiesWhenAsked: return exit_later(rank, 3, 0, scene_.random.time(0, 500));
    case Manner::RankExits0WhenAsked:
      // After the warning by --signal, a gang of one rank that exits with 0 may end as COMPLETED.
      // In a larger gang the other ranks have not exited with 0.
      if (ranks_.size() == 1 && is_only_warned_) judge_.work_done(key_);
      if (rank == 0) exit_later(rank, 0, 0, scene_.random.time(0, 500));
      save_wanted_ = true;
      return;
    case Manner::AllExit0WhenAsked:
      if (!all_running()) return exit_later(rank, 1, 0, Milliseconds{0});
      if (is_only_warned_) judge_.work_done(key_);
      return all_exit(0);
    default:
      // Before the ranks have met for the first time there is nothing to save, so the rank fails.
      if (!stepping_) return exit_later(rank, 1, 0, scene_.random.time(0, 100));
      save_wanted_ = true;
  }
}

void Gang::exit_later(std::int32_t rank, std::int32_t code, std::int32_t signal,
                      Milliseconds delay) {
  scene_.agenda.after(delay, [this, rank, code, signal] {
    do_when_it_runs(rank, [this, rank, code, signal] { exit_now(rank, code, signal); });
  });
}

void Gang::exit_now(std::int32_t rank, std::int32_t code, std::int32_t signal) {
  Rank& one = ranks_[static_cast<std::size_t>(rank)];
  if (!one.running) return;
  one.running = false;
  one.host->rank_exits(key_, rank, code, signal);
  peers_notice();
}

void Gang::all_exit(std::int32_t code) {
  leaving_ = true;
  for (std::size_t i = 0; i < ranks_.size(); ++i)
    exit_later(static_cast<std::int32_t>(i), code, 0, scene_.random.time(0, 300));
}

void Gang::rank_killed(std::int32_t rank) {
  Rank& one = ranks_[static_cast<std::size_t>(rank)];
  one.running = false;
  rank_frozen(rank, false);
  peers_notice();
}

void Gang::peers_notice() {
  if (leaving_ || !behaviour_.fails_with_its_peers) return;
  for (std::size_t i = 0; i < ranks_.size(); ++i)
    if (ranks_[i].running)
      exit_later(static_cast<std::int32_t>(i), 1, 0, scene_.random.time(100, 3000));
}

}  // namespace cox::sim
