#include "worker/supervisor/supervision.h"

#include <signal.h>

#include <algorithm>
#include <utility>

#include "common/base/check.h"
#include "common/base/limits.h"
#include "common/base/text.h"
#include "worker/supervisor/cancelled_line.h"

namespace cox {

using namespace supervisor;

namespace {

const NodeGrant& own_grant(const LaunchSpec& launch) {
  CHECK(launch.node_index >= 0 &&
        static_cast<std::size_t>(launch.node_index) < launch.nodes.size());
  return launch.nodes[static_cast<std::size_t>(launch.node_index)].grant;
}

std::vector<std::int32_t> ranks_here(const LaunchSpec& launch) {
  const NodeGrant& grant = own_grant(launch);
  const std::int32_t count = ranks_run_on(launch.spec, grant, launch.node_index);
  const std::int32_t first = launch.spec.form == JobForm::Batch ? 0 : grant.first_rank;
  std::vector<std::int32_t> ranks;
  for (std::int32_t i = 0; i < count; ++i) ranks.push_back(first + i);
  return ranks;
}

// Returns the ranks whose saved files this node verifies before it resumes. The ranks that saved
// the checkpoint are divided among the ranks of this attempt; the two numbers may differ.
std::vector<std::int32_t> ranks_to_verify(const LaunchSpec& launch) {
  if (!launch.resume) return {};
  const bool only_rank0_saves = launch.spec.checkpoint_by == CheckpointBy::Rank0;
  const std::int32_t ranks_now = all_ranks(launch.spec, launch.nodes);
  const std::int32_t saved_ranks = launch.resume_ranks > 0 ? launch.resume_ranks : ranks_now;
  // The checkpoint is this job's own. Of another job's, resume_ranks counts the ranks that saved.
  const bool is_own = launch.resume->job == JobId{};
  const std::int32_t saved_by = only_rank0_saves && is_own ? 1 : saved_ranks;
  std::vector<std::int32_t> ranks;
  for (const std::int32_t own : ranks_here(launch))
    for (std::int32_t rank = own; rank < saved_by; rank += ranks_now) ranks.push_back(rank);
  return ranks;
}

Boot later(Boot from, std::int64_t ms) {
  const std::int64_t left = to_ms(Boot::max()) - to_ms(from);
  return from + Milliseconds{std::clamp<std::int64_t>(ms, 0, left)};
}

}  // namespace

Supervision::Supervision(LaunchSpec launch, Now now) : launch_(std::move(launch)) {
  status_.key = launch_.key;
  for (const std::int32_t rank : ranks_here(launch_)) {
    RankStatus one;
    one.rank = rank;
    status_.ranks.push_back(one);
  }
  const Boot from = launch_.lease_from == Boot{} ? now.boot : launch_.lease_from;
  lease_until_ = later(from, launch_.lease_ms);
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
  if (ending_ == Ending::Killed && !seals_.empty()) consider(kill_at_ + seal_after_kill_max);
  return next;
}

// ---- startup ---------------------------------------------------------------------------------

void Supervision::handle(const Begun&, Now) {
  before_publish_.push_back(Publish{});
  if (launch_.site.prolog.empty()) return prepare();
  program_ = NodeProgram::Prolog;
  before_publish_.push_back(RunNodeProgram{program_});
}

void Supervision::prepare() {
  PrepareNode prepare;
  prepare.reserve_port = launch_.node_index == 0;
  prepare.ranks = ranks_here(launch_);
  prepare.verify_all = launch_.resume && launch_.spec.form == JobForm::Batch &&
                       launch_.spec.checkpoint_by == CheckpointBy::AllRanks &&
                       launch_.node_index == 0;
  if (!prepare.verify_all) prepare.verify_ranks = ranks_to_verify(launch_);
  before_publish_.push_back(prepare);
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
  before_publish_.push_back(StartRanks{order, ranks_here(launch_)});
}

// ---- operation -------------------------------------------------------------------------------

void Supervision::handle(const LeaseRenewed& renewed, Now) {
  lease_until_ = std::max(lease_until_, renewed.until);
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
  const bool at_end = order_.why == StopWhy::TimeLimit || order_.why == StopWhy::Deadline;
  const bool is_only_warned = ending_ == Ending::Asked && at_end &&
                              launch_.spec.signal.number != 0 && !launch_.spec.requeue_on_timeout;
  return order_.why != StopWhy::None && !is_only_warned;
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
  progress_ = followed_by(progress_ ? *progress_ : status_.progress, std::move(next));
}

void Supervision::handle(const FinishReported& said, Now) {
  AnswerSave answer;
  answer.token = said.token;
  if (status_.phase == NodePhase::Running || status_.phase == NodePhase::Stopping)
    status_.finished = true;
  else
    answer.refused = Refusal{"the attempt is not running", ""};
  after_publish_.push_back(answer);
}

Boot Supervision::progress_due() const {
  return progress_reported_ ? later(*progress_reported_, limits::progress_every_ms) : Boot{};
}

void Supervision::report_progress(Now now) {
  status_.progress = *std::exchange(progress_, std::nullopt);
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

// Sends the signal that the job chose (--signal, --checkpoint-signal), only to the processes of its
// ranks and tasks: a helper that one of them has started, such as `cox checkpoint done`, may have
// no handler. In a batch job the tasks of its steps get the signal. The script's shell gets it if
// the job asked for that by "B:", or if no step runs and the signal is that of --checkpoint-signal.
void Supervision::ask_to_save() {
  const SignalRequest& warning = launch_.spec.signal;
  const bool at_end = order_.why == StopWhy::TimeLimit || order_.why == StopWhy::Deadline;
  const bool is_warning = warning.number != 0 && (at_end || launch_.spec.checkpoint_signal == 0);
  const std::int32_t chosen = is_warning ? warning.number : launch_.spec.checkpoint_signal;
  const bool shell_only = is_warning && warning.batch_only;
  const bool is_batch = launch_.spec.form == JobForm::Batch;
  const bool signals_steps = has_live_steps() && !shell_only;
  // The shell gets no --signal without "B:", as in Slurm; if no step runs, no process gets it.
  const bool reaches_nobody = is_batch && is_warning && !shell_only && !signals_steps;
  // A job that chose no signal gets SIGCONT and SIGTERM, as under Slurm.
  if (chosen == 0 || (reaches_nobody && !at_end))
    return signal_to_stop({{SIGCONT, SIGTERM}, true}, has_live_steps());
  if (!reaches_nobody) signal_to_stop({{chosen}, false}, signals_steps);
}

// Signals the steps if `signals_steps`. Signals the ranks if not, or if the job is a gang.
void Supervision::signal_to_stop(SignalRanks signal, bool signals_steps) {
  signal.reason = reason_to_write(signal.signals);
  if (signals_steps) before_publish_.push_back(SignalSteps{signal.signals, -1, signal.whole_group});
  steps_signalled_ = signals_steps;
  const bool signals_ranks = !signals_steps || launch_.spec.form == JobForm::Gang;
  if (!signals_ranks) signal.signals.clear();
  if (signals_ranks || signal.reason != StopWhy::None) before_publish_.push_back(signal);
}

// Returns the reason of the stop that is to be written to the batch script's standard error; None:
// write nothing. As in Slurm it is written once, with the first SIGTERM. It is not written with a
// signal that the job chose, after which the script may run on.
StopWhy Supervision::reason_to_write(const std::vector<std::int32_t>& signals) {
  const bool ends = std::ranges::find(signals, SIGTERM) != signals.end();
  if (!ends || launch_.spec.form != JobForm::Batch || all_exited()) return StopWhy::None;
  if (std::exchange(has_reported_end_, true)) return StopWhy::None;
  return is_shown_as_cancelled(order_.why) ? order_.why : StopWhy::None;
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
  if (ending_ == Ending::Asked && now.boot >= term_at_) terminate(now);
  if (ending_ == Ending::Terminated && now.boot >= kill_at_) kill(now);
  if (ending_ == Ending::Killed && !seals_.empty() && now.boot >= kill_at_ + seal_after_kill_max) {
    before_publish_.push_back(AbandonFileWork{});
    add_note("sealing a checkpoint took too long and was given up");
    for (const PendingSeal& seal : seals_)
      if (!seal.step) find_rank(seal.saver.rank)->save_unknown = true;
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
  if (!is_done) return;
  drop_held_steps();
  if (!status_.ranks.empty() && has_live_steps() && ending_ != Ending::Killed)
    return end_steps_beside(now);
  // Processes that the ranks left behind (daemons, stray children) are killed before the node is
  // free.
  sweeping_ = true;
  if (progress_) status_.progress = *std::exchange(progress_, std::nullopt);
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

void Supervision::add_note(const std::string& note) {
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
