#include "worker/stepd/step_run.h"

#include <signal.h>

#include <algorithm>
#include <utility>

#include "common/base/check.h"
#include "common/base/limits.h"
#include "common/base/text.h"

namespace cox {

using namespace stepd;

namespace {

// Makes a text printable and short, because it may contain a path of the user with any bytes.
std::string for_people(const std::string& text) {
  return cut_text(printable(text), limits::reason_bytes_max);
}

}  // namespace

StepRun::StepRun(const StepLaunch& launch)
    : ranks_(launch.ranks),
      time_limit_(launch.time_limit_ms),
      kill_wait_(launch.kill_wait_ms),
      left_(launch.ranks.size()) {
  status_.number = launch.number;
}

std::vector<Action> StepRun::on(const Event& event, Now now) {
  if (stage_ == Stage::Gone) return {};
  std::visit([&](const auto& happened) { handle(happened, now); }, event);
  advance(now);
  return std::exchange(actions_, {});
}

std::optional<Boot> StepRun::wakeup() const {
  if (stage_ == Stage::Gone) return std::nullopt;
  std::optional<Boot> next;
  const auto consider = [&](Boot at) { next = next ? std::min(*next, at) : at; };
  const bool waits = stage_ == Stage::Calling || stage_ == Stage::Leaving ||
                     (stage_ == Stage::Closing && !streams_paused_);
  if (waits) consider(give_up_at_);
  if (limit_at_) consider(*limit_at_);
  if (kill_at_) consider(*kill_at_);
  return next;
}

void StepRun::handle(const Ordered&, Now now) {
  give_up_at_ = now.boot + begin_wait;
  if (time_limit_ > Milliseconds{0}) limit_at_ = now.boot + time_limit_;
  actions_.push_back(Report{});
  actions_.push_back(ConnectToClient{});
}

void StepRun::handle(const BeginReceived&, Now) {
  if (stage_ != Stage::Calling) return;
  stage_ = Stage::Running;
  actions_.push_back(StartTasks{});
}

void StepRun::handle(const TasksStarted& started, Now) {
  actions_.push_back(SendToClient{TasksBegun{started.pids}});
}

void StepRun::handle(const TaskExited& exited, Now now) {
  CHECK(left_ > 0 && exited.local < ranks_.size());
  --left_;
  status_.usage.add(exited.usage);
  status_.figures.add(figures_of(
      ranks_[exited.local], {exited.usage.user_cpu_ms + exited.usage.system_cpu_ms,
                             exited.usage.max_rss_kb, exited.read_bytes, exited.written_bytes}));
  status_.exit_code = std::max(status_.exit_code, exited.exit_code);
  if (status_.exit_signal == 0) status_.exit_signal = exited.exit_signal;
  status_.out_of_memory = status_.out_of_memory || exited.out_of_memory;
  const std::string note = for_people(exited.note);
  add_note(note);
  actions_.push_back(
      SendToClient{TaskEnded{ranks_[exited.local], exited.exit_code, exited.exit_signal,
                             exited.core_dumped, exited.out_of_memory, note}});
  if (left_ > 0) return;
  stage_ = Stage::Closing;
  give_up_at_ = now.boot + streams_wait;
  limit_at_.reset();
  kill_at_.reset();
  actions_.push_back(KillLeftovers{});
}

void StepRun::handle(const StreamsEnded&, Now) {
  streams_ended_ = true;
}

// The wait for the streams' end (streams_wait) begins again, so that no output is lost if srun
// reads slowly.
void StepRun::handle(const StreamsPaused& streams, Now now) {
  streams_paused_ = streams.held;
  if (stage_ == Stage::Closing) give_up_at_ = now.boot + streams_wait;
}

void StepRun::handle(const Aborted& aborted, Now now) {
  add_note(aborted.why);
  aborted_ = true;
  end(now);
}

void StepRun::handle(const Released&, Now) {
  if (stage_ == Stage::Leaving) forget();
}

void StepRun::handle(const SuspendedFor& stood, Now) {
  if (limit_at_) *limit_at_ += stood.time;
  if (kill_at_) *kill_at_ += stood.time;
  if (give_up_at_ != Boot{}) give_up_at_ += stood.time;
}

void StepRun::handle(const StopOrdered&, Now now) {
  stopped_ = true;
  // The wait for the streams' end begins now, even if srun gives no credit.
  if (stage_ == Stage::Closing) handle(StreamsPaused{false}, now);
  end(now);
}

// Ends the step, because no srun can receive its output or control it any more.
void StepRun::handle(const ClientLost&, Now now) {
  client_lost_ = true;
  if (stage_ == Stage::Leaving) return forget();
  if (status_.note.empty()) status_.note = "its srun is gone";
  if (stage_ == Stage::Closing) streams_ended_ = true;
  end(now);
}

void StepRun::end(Now now) {
  if (stage_ == Stage::Calling) return leave(now);
  if (stage_ != Stage::Running || kill_at_) return;
  kill_at_ = now.boot + kill_wait_;
  actions_.push_back(SignalAll{SIGCONT});
  actions_.push_back(SignalAll{SIGTERM});
}

void StepRun::advance(Now now) {
  if (limit_at_ && now.boot >= *limit_at_) {
    limit_at_.reset();
    status_.timed_out = true;
    end(now);
  }
  if (stage_ == Stage::Running && kill_at_ && now.boot >= *kill_at_) {
    kill_at_.reset();
    actions_.push_back(KillLeftovers{});
  }
  const bool is_late = !streams_paused_ && now.boot >= give_up_at_;
  if (stage_ == Stage::Closing && (streams_ended_ || is_late)) return leave(now);
  if (stage_ == Stage::Calling && give_up_at_ != Boot{} && now.boot >= give_up_at_) {
    status_.note = "its srun did not send what to run within 60 s";
    return leave(now);
  }
  if (stage_ == Stage::Leaving && now.boot >= give_up_at_) forget();
}

void StepRun::leave(Now now) {
  if (stage_ == Stage::Calling && status_.exit_code == 0) status_.exit_signal = SIGKILL;
  if (stage_ == Stage::Closing && !streams_ended_) actions_.push_back(ReadRest{});
  stage_ = Stage::Leaving;
  give_up_at_ = now.boot + release_wait;
  limit_at_.reset();
  kill_at_.reset();
  status_.phase = StepPhase::Gone;
  actions_.push_back(SendToClient{StepLeft{status_.timed_out, stopped_, status_.note, aborted_}});
  actions_.push_back(Report{});
  if (client_lost_) forget();
}

void StepRun::forget() {
  stage_ = Stage::Gone;
  actions_.push_back(Forget{});
}

void StepRun::add_note(const std::string& note) {
  if (status_.note.empty()) status_.note = for_people(note);
}

}  // namespace cox
