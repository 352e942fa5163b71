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

std::int32_t all_ranks(const LaunchSpec& launch) {
  std::int32_t all = 0;
  for (std::size_t i = 0; i < launch.nodes.size(); ++i)
    all += ranks_run_on(launch.spec, launch.nodes[i].grant, static_cast<std::int32_t>(i));
  return all;
}

// Of those who saved it every one is verified by one who resumes, also when these are fewer or
// more.
std::vector<std::int32_t> ranks_to_verify(const LaunchSpec& launch) {
  if (!launch.resume) return {};
  const bool rank0_speaks = launch.spec.checkpoint_by == CheckpointBy::Rank0;
  const std::int32_t ranks_now = all_ranks(launch);
  const std::int32_t spoke = launch.resume_ranks > 0 ? launch.resume_ranks : ranks_now;
  const bool is_own = launch.resume->job == JobId{};  // of another job resume_ranks tells it
  const std::int32_t saved_by = rank0_speaks && is_own ? 1 : spoke;
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
  // What is known to be known is no news.
  if (const auto* acknowledged = std::get_if<Acknowledged>(&event))
    forget_steps(acknowledged->revision);
  const AttemptStatus was = status_;
  // Time first: a go or a renewal that comes after the lease's end comes too late.
  advance(now);
  const bool is_heard = !leaves_ || std::holds_alternative<NodeProgramEnded>(event);
  if (status_.phase != NodePhase::Gone && is_heard) {
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
  if (went_ != Boot{}) {
    const Boot until = stands_since_ == Boot{} ? now.boot : stands_since_;
    status_.ran_ms = (until - went_ - stood_).count();
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
  prepare.verify_ranks = ranks_to_verify(launch_);
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

void Supervision::handle(const GoAsked& go, Now now) {
  if (status_.phase == NodePhase::Ready) this->go(go.order, now);
}

void Supervision::go(const GoOrder& order, Now now) {
  status_.phase = NodePhase::Running;
  went_ = now.boot;
  before_publish_.push_back(StartRanks{order, ranks_here(launch_)});
}

// ---- operation -------------------------------------------------------------------------------

void Supervision::handle(const LeaseRenewed& renewed, Now) {
  lease_until_ = std::max(lease_until_, renewed.until);
}

// Before the go nothing is there to be stopped, and what is to end runs for that.
void Supervision::handle(const SuspendAsked& asked, Now now) {
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
  if (stands_since_ == Boot{}) stands_since_ = now.boot;
}

void Supervision::thaw(Now now) {
  const bool stands = stands_since_ != Boot{};
  const Milliseconds stood = stands ? now.boot - stands_since_ : Milliseconds{0};
  stood_ += stood;
  stands_since_ = Boot{};
  before_publish_.push_back(ThawEverything{stood});
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
  settle_exits(now);
}

void Supervision::handle(const RankExited& exited, Now now) {
  RankStatus* rank = find_rank(exited.rank);
  CHECK(rank != nullptr && rank->phase != RankPhase::Exited);
  held_exits_.push_back({exited, now.wall});
  // A script hands on the exit code of its srun: it was the tasks that saved, and they report.
  const bool hands_on = launch_.spec.form == JobForm::Batch && had_steps_;
  const bool speaks =
      !hands_on && (launch_.spec.checkpoint_by == CheckpointBy::AllRanks || exited.rank == 0);
  if (exited.exit_code == exit_code_saved && exited.exit_signal == 0 && speaks) {
    PendingSeal pending;
    pending.saver.rank = exited.rank;
    pending.after_stop = status_.stop != StopWhy::None;
    begin_seal(pending);
  }
  settle_exits(now);
}

// What is written there fails, as the ranks see themselves: it is told, and none of them is ended.
void Supervision::handle(const OutputSeen& seen, Now now) {
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
  tell_notes();
}

// ---- progress --------------------------------------------------------------------------------

// The newest alone is kept, and told on in its time: a job may say so in each of its steps.
void Supervision::handle(const ProgressSaid& said, Now now) {
  if (status_.phase != NodePhase::Running && status_.phase != NodePhase::Stopping) return;
  if (check_progress(said.progress)) return;
  Progress next = said.progress;
  next.at = now.wall;
  progress_ = followed_by(progress_ ? *progress_ : status_.progress, std::move(next));
}

Boot Supervision::progress_due() const {
  return progress_told_ ? later(*progress_told_, limits::progress_every_ms) : Boot{};
}

void Supervision::tell_progress(Now now) {
  status_.progress = *std::exchange(progress_, std::nullopt);
  progress_told_ = now.boot;
}

// ---- stopping --------------------------------------------------------------------------------

void Supervision::handle(const StopAsked& asked, Now now) {
  if (stronger(asked.order, order_)) stop(asked.order, now);
}

void Supervision::stop(const StopOrder& order, Now now) {
  order_ = order;
  status_.stop = order.why;
  const bool went = status_.phase == NodePhase::Running || status_.phase == NodePhase::Stopping;
  if (!went || (status_.ranks.empty() && !had_steps_)) {
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

// Sends the signal that the job chose, to the processes of its ranks and tasks alone: a helper that
// one of them has started, such as `cox checkpoint done`, may have no handler. Of a batch job the
// tasks of its steps are signalled. The script's shell is signalled if the job asked for that by
// "B:", or if no step runs and the job chose the signal by --checkpoint-signal.
void Supervision::ask_to_save() {
  const SignalRequest& warning = launch_.spec.signal;
  const bool at_end = order_.why == StopWhy::TimeLimit || order_.why == StopWhy::Deadline;
  const bool is_warning = warning.number != 0 && (at_end || launch_.spec.checkpoint_signal == 0);
  const std::int32_t chosen = is_warning ? warning.number : launch_.spec.checkpoint_signal;
  const bool shell_only = is_warning && warning.batch_only;
  const bool is_batch = launch_.spec.form == JobForm::Batch;
  const bool tells_steps = has_live_steps() && !shell_only;
  // Slurm never sends a --signal without "B:" to the shell.
  const bool has_nobody = is_batch && is_warning && !shell_only && !tells_steps;
  // A job that chose no signal gets SIGCONT and SIGTERM, as under Slurm.
  if (chosen == 0 || (has_nobody && !at_end))
    return signal_to_stop({{SIGCONT, SIGTERM}, true}, has_live_steps());
  if (!has_nobody) signal_to_stop({{chosen}, false}, tells_steps);
}

// Signals the steps or, if none run or the job is a gang, the ranks.
void Supervision::signal_to_stop(SignalRanks signal, bool tells_steps) {
  signal.told = told_of_end(signal.signals);
  if (tells_steps) before_publish_.push_back(SignalSteps{signal.signals, -1, signal.whole_group});
  steps_asked_ = tells_steps;
  const bool tells_ranks = !tells_steps || launch_.spec.form == JobForm::Gang;
  if (!tells_ranks) signal.signals.clear();
  if (tells_ranks || signal.told != StopWhy::None) before_publish_.push_back(signal);
}

// As Slurm does: a batch script's output says once why it is ended, when that begins. Another
// signal that it asked for may let it or its steps go on until then.
StopWhy Supervision::told_of_end(const std::vector<std::int32_t>& signals) {
  const bool ends = std::ranges::find(signals, SIGTERM) != signals.end();
  if (!ends || launch_.spec.form != JobForm::Batch || all_exited()) return StopWhy::None;
  if (std::exchange(has_told_end_, true)) return StopWhy::None;
  return is_told_as_cancelled(order_.why) ? order_.why : StopWhy::None;
}

void Supervision::terminate(Now now) {
  if (ending_ == Ending::Killed) return;
  const bool steps_end_alone = !status_.ranks.empty() && all_exited() && ending_ != Ending::Asked;
  if (!steps_end_alone) {
    SignalRanks signal{{SIGCONT, SIGTERM}, true};
    signal.told = told_of_end(signal.signals);
    before_publish_.push_back(signal);
    if (has_live_steps()) before_publish_.push_back(SignalSteps{{SIGCONT, SIGTERM}, -1, true});
    steps_asked_ = true;
  }
  const Boot kill_at = std::min(later(now.boot, order_.kill_wait_ms), kill_by_);
  // A stronger order never gives more time than the one before.
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

// The promise a lease makes is about its own end, however late this runs and whatever order is
// being obeyed: from then on there is lease_grace and kill_wait, and no more.
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
    order.detail = "the lease ended: no word from the controller";
    stop(order, now);
  }
  if (ending_ == Ending::Asked) term_at_ = std::min(term_at_, term_by);
  if (ending_ == Ending::Terminated) kill_at_ = std::min(kill_at_, kill_by_);
}

void Supervision::advance(Now now) {
  if (status_.phase == NodePhase::Gone || leaves_) return;
  if (launch_.lease_ms > 0 && !lease_ended_ && now.boot >= lease_until_) end_lease(now);
  if (progress_ && now.boot >= progress_due()) tell_progress(now);
  if (ending_ == Ending::Asked && now.boot >= term_at_) terminate(now);
  if (ending_ == Ending::Terminated && now.boot >= kill_at_) kill(now);
  if (ending_ == Ending::Killed && !seals_.empty() && now.boot >= kill_at_ + seal_after_kill_max) {
    before_publish_.push_back(AbandonFileWork{});
    add_note("sealing a checkpoint took too long and was given up");
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
    if (exited.out_of_memory) status_.out_of_memory = true;
    status_.usage.add(exited.usage);
    return true;
  });
  if (sweeping_) return;
  // Where no rank runs, the job's end is told: until then there may be more steps.
  const bool is_done =
      status_.ranks.empty() ? ending_ != Ending::None && !has_live_steps() : all_exited();
  if (!is_done) return;
  drop_held_steps();
  if (!status_.ranks.empty() && has_live_steps() && ending_ != Ending::Killed)
    return end_steps_beside(now);
  // What the ranks left behind (daemons, stray children) goes before the room is given away.
  sweeping_ = true;
  if (progress_) status_.progress = *std::exchange(progress_, std::nullopt);
  before_publish_.push_back(KillEverything{});
}

// As under Slurm, the steps that a script leaves behind are asked to end, and have kill_wait for
// it. An order to stop may have asked them already; one with --signal=B: asks the script alone.
void Supervision::end_steps_beside(Now now) {
  if (steps_asked_ || ending_ == Ending::Terminated) return;
  const bool is_ordered = ending_ != Ending::None;
  if (suspension_.suspended && !is_ordered) thaw(now);  // a stopped step cannot end in order
  ending_ = Ending::Terminated;
  const std::int64_t wait_ms = is_ordered ? order_.kill_wait_ms : launch_.kill_wait_ms;
  kill_at_ = std::min(later(now.boot, wait_ms), kill_by_);
  for (const StepStatus& step : status_.steps)
    if (step.phase != StepPhase::Gone) before_publish_.push_back(EndStep{step.number});
}

void Supervision::handle(const Emptied&, Now) {
  if (sweeping_) leave();
}

// It goes on being killed.
void Supervision::handle(const Unkillable& left, Now) {
  if (status_.kill_failure == KillFailure::None) add_note("processes outlive SIGKILL");
  status_.kill_failure = left.how;
}

void Supervision::add_note(const std::string& note) {
  if (notes_.size() + note.size() > limits::reason_bytes_max) return;
  if (!notes_.empty()) notes_ += "; ";
  notes_ += note;
  tell_notes();
}

// What is told of the disk comes first, so that it has room however much is noted.
void Supervision::tell_notes() {
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
