#include "worker/supervisor/supervision.h"

#include <signal.h>

#include <algorithm>
#include <utility>

#include "common/base/check.h"
#include "common/base/limits.h"
#include "common/base/text.h"

namespace cox {

using namespace supervisor;

namespace {

Boot later(Boot from, std::int64_t ms) {
  const std::int64_t left = to_ms(Boot::max()) - to_ms(from);
  return from + Milliseconds{std::clamp<std::int64_t>(ms, 0, left)};
}

}  // namespace

Supervision::Supervision(LaunchSpec launch, Now now) : launch_(std::move(launch)) {
  status_.key = launch_.key;
  for (const std::int32_t rank : ranks_here()) {
    RankStatus one;
    one.rank = rank;
    status_.ranks.push_back(one);
  }
  const Boot from = launch_.lease_from == Boot{} ? now.boot : launch_.lease_from;
  lease_until_ = later(from, launch_.lease_ms);
  if (launch_.lease_from != Boot{}) contact_ = launch_.lease_from;
}

std::vector<Action> Supervision::on(const Event& event, Now now) {
  // Done before the status is copied: forgetting acknowledged steps is not a change to be
  // published.
  if (const auto* acknowledged = std::get_if<Acknowledged>(&event))
    forget_steps(acknowledged->revision);
  const AttemptStatus was = status_;
  // Timers first: a Go or a renewal that arrives after the lease's end is too late.
  advance(now);
  const bool is_handled = !leaves_ || std::holds_alternative<NodeProgramEnded>(event);
  if (status_.phase != NodePhase::Gone && is_handled) {
    std::visit([&](const auto& happened) { handle(happened, now); }, event);
    advance(now);
  }
  std::vector<Action> actions = std::exchange(before_publish_, {});
  if (!(was == status_)) {
    status_.revision = was.revision + 1;
    for (const StepStatus& step : status_.steps)
      if (step.phase == StepPhase::Gone) step_gone_in_.emplace(step.number, status_.revision);
    actions.push_back(Publish{});
  }
  if (ran_since_ != Boot{}) {
    const Boot until = suspended_since_ == Boot{} ? now.boot : suspended_since_;
    status_.ran_ms = (until - ran_since_ - suspended_before_).count();
  }
  for (Action& action : after_publish_) actions.push_back(std::move(action));
  after_publish_.clear();
  return actions;
}

std::optional<Boot> Supervision::wakeup() const {
  std::optional<Boot> next;
  const auto consider = [&](Boot at) { next = next ? std::min(*next, at) : at; };
  if (status_.phase == NodePhase::Gone || leaves_) return next;
  if (launch_.lease_ms > 0 && !lease_ended_) consider(lease_until_);
  if (ending_ == Ending::Asked) consider(term_at_);
  if (progress_) consider(progress_due());
  if (ending_ == Ending::Terminated) consider(kill_at_);
  if (!unreleased_steps_.empty()) consider(release_by_);
  if (ending_ == Ending::Killed && !seals_.empty()) consider(kill_at_ + seal_after_kill_max);
  return next;
}

// ---- startup ---------------------------------------------------------------------------------

void Supervision::handle(const Begun&, Now now) {
  before_publish_.push_back(Publish{});
  if (launch_.site.prolog.empty()) return prepare(now);
  program_ = NodeProgram::Prolog;
  before_publish_.push_back(RunNodeProgram{program_});
}

void Supervision::handle(const Prepared& prepared, Now now) {
  if (status_.phase != NodePhase::Preparing) return;
  status_.phase = NodePhase::Ready;
  status_.master_port = prepared.master_port;
  for (const LogStart& log : prepared.logs) {
    if (RankStatus* rank = find_rank(log.rank)) {
      rank->output_from = log.output_from;
      rank->error_from = log.error_from;
    }
  }
  if (launch_.go_when_ready)
    go({launch_.nodes.front().address, prepared.master_port, now.wall}, now);
}

void Supervision::handle(const PrepareFailed& failed, Now) {
  if (status_.phase != NodePhase::Preparing) return;
  refusal_ = failed;
  leave();
}

void Supervision::handle(const GoOrdered& go, Now now) {
  if (status_.phase == NodePhase::Ready) this->go(go.order, now);
}

void Supervision::go(const GoOrder& order, Now now) {
  status_.phase = NodePhase::Running;
  ran_since_ = now.boot;
  before_publish_.push_back(StartRanks{order, ranks_here()});
}

// ---- operation -------------------------------------------------------------------------------

void Supervision::handle(const LeaseRenewed& renewed, Now now) {
  lease_until_ = std::max(lease_until_, renewed.until);
  if (renewed.until > boot_from_ms(launch_.lease_ms))
    contact_ = std::max(contact_.value_or(Boot{}), renewed.until - Milliseconds{launch_.lease_ms});
  if (std::exchange(waits_for_contact_, false)) prepare(now);
}

// An order to suspend or resume. It is ignored before the Go, when no process runs, and while the
// attempt ends, since processes must run to end in order.
void Supervision::handle(const SuspensionOrdered& asked, Now now) {
  if (is_ending() || asked.order.number <= suspension_.number) return;
  suspension_ = asked.order;
  if (suspension_.suspended) {
    before_publish_.push_back(FreezeEverything{suspension_.number});
    return;
  }
  thaw(now);
  status_.suspension = suspension_;
}

void Supervision::handle(const Frozen& frozen, Now now) {
  if (is_ending() || !suspension_.suspended || frozen.number != suspension_.number) return;
  status_.suspension = suspension_;
  if (suspended_since_ == Boot{}) suspended_since_ = now.boot;
}

void Supervision::thaw(Now now) {
  const bool was_suspended = suspended_since_ != Boot{};
  const Milliseconds suspended_time = was_suspended ? now.boot - suspended_since_ : Milliseconds{0};
  suspended_before_ += suspended_time;
  suspended_since_ = Boot{};
  before_publish_.push_back(ThawEverything{suspended_time});
  for (StepLaunch& held : std::exchange(held_steps_, {}))
    before_publish_.push_back(BeginStep{std::move(held)});
}

void Supervision::handle(const RankStarted& started, Now now) {
  RankStatus* rank = find_rank(started.rank);
  CHECK(rank != nullptr && rank->phase == RankPhase::Waiting);
  rank->phase = RankPhase::Running;
  rank->started = now.wall;
}

void Supervision::handle(const RankStartFailed& failed, Now now) {
  add_note("rank " + std::to_string(failed.rank) + ": " + failed.note);
  RankStatus* rank = find_rank(failed.rank);
  CHECK(rank != nullptr && rank->phase == RankPhase::Waiting);
  rank->phase = RankPhase::Exited;
  rank->exit_code = failed.exit_code;
  rank->started = now.wall;
  rank->ended = now.wall;
  rank->asked_to_stop = is_asked_to_stop();
  settle_exits(now);
}

void Supervision::handle(const RankExited& exited, Now now) {
  RankStatus* rank = find_rank(exited.rank);
  CHECK(rank != nullptr && rank->phase != RankPhase::Exited);
  held_exits_.push_back({exited, now.wall, is_asked_to_stop()});
  const bool failed = exited.exit_code != 0 || exited.exit_signal != 0;
  if (failed && exited.cut_off && !is_asked_to_stop()) {
    // A report that could not be delivered may be why it failed.
    status_.supervisor_lost = true;
    add_note("rank " + std::to_string(exited.rank) +
             " failed while the supervisor's folder was away, which is a fault of the node");
  }
  // A batch script exits with the exit code of its srun. If that is exit_code_saved, the tasks
  // saved and have reported it, and the script has nothing to seal.
  const bool hands_on = launch_.spec.form == JobForm::Batch && had_steps_;
  const bool speaks =
      !hands_on && (launch_.spec.checkpoint_by == CheckpointBy::AllRanks || exited.rank == 0);
  if (exited.exit_code == exit_code_saved && exited.exit_signal == 0 && speaks) seal_at_exit(*rank);
  settle_exits(now);
}

// Returns whether the ranks were ordered to stop. The signal of --signal before the time
// limit is only a warning, as in Slurm, unless the job is to be requeued at the limit.
bool Supervision::is_asked_to_stop() const {
  if (order_.why == StopWhy::JobEnded) return false;  // the job's work has ended by itself
  const bool is_warning = ending_ == Ending::Asked && is_only_warned(launch_.spec, order_.why);
  return order_.why != StopWhy::None && !is_warning;
}

// Writes a note into the status if the disk of an output file is full. No rank is ended for this:
// the ranks get write errors.
void Supervision::handle(const OutputChecked& seen, Now now) {
  if (seen.full.empty() == full_output_.empty()) {
    room_since_ = Boot{};
    return;
  }
  if (seen.full.empty()) {
    if (room_since_ == Boot{}) room_since_ = now.boot;
    if (now.boot - room_since_ < room_again) return;
  }
  full_output_ = seen.full;
  room_since_ = Boot{};
  report_notes();
}

// ---- progress --------------------------------------------------------------------------------

// A job may report its progress in every training step. Only the newest report is kept; it is
// published when progress_due() has come.
void Supervision::handle(const ProgressReported& said, Now now) {
  if (status_.phase != NodePhase::Running && status_.phase != NodePhase::Stopping) return;
  if (check_progress(said.progress)) return;
  Progress next = said.progress;
  next.at = now.wall;
  if (next.total > 0) {
    is_finished_ = next.step >= next.total;
    finished_after_ = newest_save();
  }
  progress_ = followed_by(progress_ ? *progress_ : status_.progress, std::move(next));
}

void Supervision::handle(const FinishReported& said, Now) {
  AnswerSave answer;
  answer.token = said.token;
  finished_after_ = newest_save();
  if (status_.phase == NodePhase::Running || status_.phase == NodePhase::Stopping)
    status_.finished = is_finished_ = true;
  else
    answer.refused = Refusal{"the attempt is not running", ""};
  after_publish_.push_back(answer);
}

Boot Supervision::progress_due() const {
  return progress_reported_ ? later(*progress_reported_, limits::progress_every_ms) : Boot{};
}

void Supervision::report_progress(Now now) {
  status_.progress = *std::exchange(progress_, std::nullopt);
  status_.finished = is_finished_;
  progress_reported_ = now.boot;
}

// ---- stopping --------------------------------------------------------------------------------

void Supervision::handle(const StopOrdered& asked, Now now) {
  if (stronger(asked.order, order_)) stop(asked.order, now);
}

void Supervision::stop(const StopOrder& order, Now now) {
  order_ = order;
  status_.stop = order.why;
  const bool has_started =
      status_.phase == NodePhase::Running || status_.phase == NodePhase::Stopping;
  if (!has_started || (status_.ranks.empty() && !had_steps_)) {
    leave();
    return;
  }
  status_.phase = NodePhase::Stopping;
  before_publish_.push_back(WriteReason{order.why});
  drop_held_steps();
  if (suspension_.suspended) thaw(now);
  if (!order.ask_checkpoint) {
    terminate(now);
    return;
  }
  ask_to_save();
  ending_ = Ending::Asked;
  term_at_ = later(now.boot, order.grace_ms);
  settle_exits(now);
}

void Supervision::terminate(Now now) {
  if (ending_ == Ending::Killed) return;
  const bool steps_end_alone = !status_.ranks.empty() && all_exited() && ending_ != Ending::Asked;
  if (!steps_end_alone) {
    SignalRanks signal{{SIGCONT, SIGTERM}, true};
    signal.reason = reason_to_write(signal.signals);
    before_publish_.push_back(signal);
    if (has_live_steps()) before_publish_.push_back(SignalSteps{{SIGCONT, SIGTERM}, -1, true});
    steps_signalled_ = true;
  }
  const Boot kill_at = std::min(later(now.boot, order_.kill_wait_ms), kill_by_);
  // A stronger order to stop never gives more time than the order before it.
  kill_at_ = ending_ == Ending::Terminated ? std::min(kill_at_, kill_at) : kill_at;
  ending_ = Ending::Terminated;
  settle_exits(now);
}

void Supervision::kill(Now now) {
  ending_ = Ending::Killed;
  unreleased_steps_.clear();
  if (!status_.ranks.empty() && all_exited()) return settle_exits(now);
  if (status_.ranks.empty()) sweeping_ = true;
  before_publish_.push_back(KillEverything{});
}

// Ends the attempt because its lease has ended. SIGTERM comes at most lease_grace after the lease's
// end and SIGKILL at most kill_wait later, however late this runs and whichever stop is in
// progress.
void Supervision::end_lease(Now now) {
  lease_ended_ = true;
  const Boot term_by = later(lease_until_, launch_.lease_grace_ms);
  kill_by_ = later(term_by, launch_.kill_wait_ms);
  if (order_.why == StopWhy::None) {
    StopOrder order;
    order.why = StopWhy::LeaseEnded;
    order.ask_checkpoint = true;
    order.grace_ms = launch_.lease_grace_ms;
    order.kill_wait_ms = launch_.kill_wait_ms;
    order.detail = "the lease ended: no contact to the controller";
    stop(order, now);
  }
  if (ending_ == Ending::Asked) term_at_ = std::min(term_at_, term_by);
  if (ending_ == Ending::Terminated) kill_at_ = std::min(kill_at_, kill_by_);
}

void Supervision::advance(Now now) {
  if (status_.phase == NodePhase::Gone || leaves_) return;
  if (launch_.lease_ms > 0 && !lease_ended_ && now.boot >= lease_until_) end_lease(now);
  if (progress_ && now.boot >= progress_due()) report_progress(now);
  if (!unreleased_steps_.empty() && now.boot >= release_by_) release_steps(now);
  if (ending_ == Ending::Asked && now.boot >= term_at_) end_grace(now);
  if (ending_ == Ending::Terminated && now.boot >= kill_at_) kill(now);
  if (ending_ == Ending::Killed && !seals_.empty() && now.boot >= kill_at_ + seal_after_kill_max) {
    before_publish_.push_back(AbandonFileWork{});
    add_note("sealing a checkpoint took too long and was given up");
    for (const PendingSeal& seal : seals_)
      if (!seal.sealed) note_unknown(seal.saver, true);
    seals_.clear();
    settle_exits(now);
  }
}

// ---- teardown --------------------------------------------------------------------------------

void Supervision::settle_exits(Now now) {
  std::erase_if(held_exits_, [&](const HeldExit& held) {
    const RankExited& exited = held.exited;
    if (is_sealing(Saver{-1, exited.rank})) return false;
    RankStatus* rank = find_rank(exited.rank);
    rank->phase = RankPhase::Exited;
    rank->ended = held.ended;
    rank->exit_code = exited.exit_code;
    rank->exit_signal = exited.exit_signal;
    rank->asked_to_stop = held.asked_to_stop;
    if (exited.out_of_memory) status_.out_of_memory = true;
    status_.usage.add(exited.usage);
    return true;
  });
  if (sweeping_) return;
  // A node that has no ranks, only tasks of steps, is done only after an order to stop: until then
  // more steps may come.
  const bool is_done =
      status_.ranks.empty() ? ending_ != Ending::None && !has_live_steps() : all_exited();
  if (!is_done) return stop_script_after_steps(now);
  drop_held_steps();
  if (!status_.ranks.empty() && has_live_steps() && ending_ != Ending::Killed)
    return end_steps_beside(now);
  if (!unreleased_steps_.empty()) return;
  // Processes that the ranks left behind (daemons, stray children) are killed before the node is
  // free.
  sweeping_ = true;
  if (progress_) report_progress(now);
  before_publish_.push_back(KillEverything{});
}

// Ends the steps that still run when the script has exited: SIGTERM, and SIGKILL kill_wait later,
// as in Slurm. Does nothing if an order to stop has signalled the steps. (It has not if --signal=B:
// let it signal only the script.)
void Supervision::end_steps_beside(Now now) {
  if (steps_signalled_ || ending_ == Ending::Terminated) return;
  const bool is_ordered = ending_ != Ending::None;
  if (suspension_.suspended && !is_ordered) thaw(now);  // a suspended step cannot end in order
  ending_ = Ending::Terminated;
  const std::int64_t wait_ms = is_ordered ? order_.kill_wait_ms : launch_.kill_wait_ms;
  kill_at_ = std::min(later(now.boot, wait_ms), kill_by_);
  for (const StepStatus& step : status_.steps)
    if (step.phase != StepPhase::Gone) before_publish_.push_back(EndStep{step.number});
}

void Supervision::handle(const Emptied&, Now) {
  if (sweeping_) leave();
}

// Records in the status that processes have survived SIGKILL. The supervisor still tries to kill
// them.
void Supervision::handle(const Unkillable& left, Now) {
  if (status_.kill_failure == KillFailure::None) add_note("processes outlive SIGKILL");
  status_.kill_failure = left.how;
}

// Adds a note to those of the attempt, once: a report may be tried again and refused for the same
// reason many times.
void Supervision::add_note(const std::string& note) {
  if (("; " + notes_ + "; ").find("; " + note + "; ") != std::string::npos) return;
  if (notes_.size() + note.size() > limits::reason_bytes_max) return;
  if (!notes_.empty()) notes_ += "; ";
  notes_ += note;
  report_notes();
}

// Puts the notes into the status. The note on a full disk comes first, so that the limit on the
// text never cuts it off.
void Supervision::report_notes() {
  std::string text = notes_;
  if (!full_output_.empty())
    text = "no room for output: the disk of " + full_output_ + " is full" +
           (notes_.empty() ? "" : "; " + notes_);
  status_.note = cut_text(text, limits::reason_bytes_max);
}

bool Supervision::all_exited() const {
  return std::all_of(status_.ranks.begin(), status_.ranks.end(),
                     [](const RankStatus& r) { return r.phase == RankPhase::Exited; });
}

RankStatus* Supervision::find_rank(std::int32_t rank) {
  for (RankStatus& one : status_.ranks) {
    if (one.rank == rank) return &one;
  }
  return nullptr;
}

}  // namespace cox
