#include "client/step/step_session.h"

#include <signal.h>

#include <algorithm>
#include <utility>

#include "client/text/moments.h"
#include "common/base/hostlist.h"
#include "common/base/text.h"
#include "common/messages/attachment.h"

namespace cox {

using namespace srun;

namespace {

constexpr int signal_base = 128;

bool is_plain_end(JobState state) {
  return state == JobState::Completed || state == JobState::Failed;
}

}  // namespace

StepSession::StepSession(Settings settings)
    : settings_(std::move(settings)),
      retry_(retry_first, retry_most, seed_from(settings_.plan.create.request_id)),
      asked_(settings_.plan.asked.step) {}

std::vector<Action> StepSession::on(const Event& event, Now now) {
  if (is_over()) return {};
  std::visit([&](const auto& happened) { handle(happened, now); }, event);
  advance(now);
  return std::exchange(actions_, {});
}

std::optional<Boot> StepSession::wakeup() const {
  if (is_over()) return std::nullopt;
  std::optional<Boot> next = ends_.wakeup();
  for (const auto& at : {request_at_, immediate_at_, wait_at_, leave_at_})
    if (at) next = next ? std::min(*next, *at) : *at;
  return next;
}

// ---- messages to the user -----------------------------------------------------------------------

std::string StepSession::id() const {
  const StepKey& key = step_->step.key;
  return "StepId=" + std::to_string(key.attempt.job.value) + "." + std::to_string(key.number);
}

void StepSession::say(const std::string& text) {
  if (settings_.plan.asked.quiet) return;
  actions_.push_back(Write{Sink::Messages, own_name() + printable(text) + "\n"});
}

void StepSession::complain(const std::string& text) {
  actions_.push_back(Write{Sink::Messages, own_name() + "error: " + printable(text) + "\n"});
}

void StepSession::warn(const std::string& text) {
  actions_.push_back(Write{Sink::Messages, "slurmstepd: error: " + printable(text) + "\n"});
}

// ---- the controller -----------------------------------------------------------------------------

void StepSession::handle(const Started&, Now now) {
  if (asked_.immediate_s > 0) immediate_at_ = now.boot + Milliseconds{asked_.immediate_s * 1000};
  // wait 0: the controller replies at once that the step runs or waits
  actions_.push_back(RequestStep{JobState::Pending, Milliseconds{0}});
}

void StepSession::handle(const Answered& shown, Now now) {
  printed_silence_ = false;
  retry_.succeeded();
  if (final_) return;
  const JobState state = shown.step.view.step.state;
  step_ = shown.step.view;
  kill_wait_ms_ = shown.step.kill_wait_ms;
  if (abandoned_) {  // the user gave up before this reply came: the step must not begin
    if (is_final(state))
      leave_at_ = now.boot;
    else
      end_step();
    return;
  }
  if (state == JobState::Pending) {
    if (!std::exchange(printed_waits_, true))
      say("Job " + std::to_string(step_->step.key.attempt.job.value) +
          " step creation temporarily disabled, retrying (" + shown.step.waits + ")");
  } else if (state == JobState::Running) {
    if (!runs() && !shown.step.warning.empty()) say("warning: " + shown.step.warning);
    if (!runs()) adopt();
  } else if (runs()) {
    final_ = state;
    const bool any_came =
        std::ranges::any_of(nodes_, [](const Node& node) { return !node.peer.empty(); });
    // After a stop the nodes end the step daemons, so what has not arrived soon never will.
    const bool may_come = is_plain_end(state) && any_came && !step_->step.asked_to_stop;
    leave_at_ = now.boot + (may_come ? node_wait : leave_wait);
  } else {
    give_up_waiting("", settings_.exit_error, now);
    complain(id() + " is " + std::string(name(state)) + " before it began" +
             (step_->step.why.empty() ? "" : ": " + step_->step.why));
  }
  if (!final_ && !abandoned_) actions_.push_back(RequestStep{state, ask_wait});
}

void StepSession::handle(const Denied& refused, Now now) {
  printed_silence_ = false;
  if (abandoned_) {
    leave_at_ = now.boot;
    return;
  }
  const std::string job = std::to_string(settings_.plan.create.job.value);
  if (refused.retry) {
    if (!runs() && !std::exchange(printed_waits_, true))
      say("Job " + job + " step creation temporarily disabled, retrying (" + refused.why.fact +
          ")");
    request_at_ = now.boot + retry_.failed();
    return;
  }
  // The controller no longer has the step, so it has ended. How it ended, its nodes report.
  if (runs()) {
    final_ = JobState::Completed;
    leave_at_ = now.boot + node_wait;
    return;
  }
  complain("Unable to create step for job " + job + ": " + refused.why.fact);
  if (!refused.why.hint.empty()) complain(refused.why.hint);
  abandoned_ = asked_.spec.immediate ? settings_.exit_immediate : settings_.exit_error;
  leave_at_ = now.boot;
}

void StepSession::handle(const ControllerSilent& silence, Now) {
  if (!std::exchange(printed_silence_, true)) complain(silence.why.fact + "; still trying");
}

void StepSession::handle(const EndAccepted&, Now now) {
  if (abandoned_) leave_at_ = now.boot;
}

// Stops waiting for a pending step, and exits with `exit_code`. If the controller has created the
// step, first requests its end. If the controller may create it, because the reply to the request
// is not here yet, waits for the reply: nobody else would end that step.
void StepSession::give_up_waiting(const std::string& why, int exit_code, Now now) {
  if (!why.empty()) complain(why);
  abandoned_ = exit_code;
  const bool awaits_reply = !step_ && !request_at_;
  request_at_.reset();
  immediate_at_.reset();
  const bool is_known = step_ && !is_final(step_->step.state);
  leave_at_ = now.boot + (is_known || awaits_reply ? leave_wait : Milliseconds{0});
  if (is_known) end_step();
}

void StepSession::adopt() {
  immediate_at_.reset();
  if (printed_waits_) say("Step created for " + id());
  const Step& step = step_->step;
  routes_ =
      settings_.routes ? *settings_.routes : route_streams(asked_, *step_, settings_.plan.names);
  for (const StepNode& node : step.nodes) nodes_.emplace_back().name = node.node;
  const bool can_mix = shape().step.tasks > 1 && !asked_.unbuffered;
  if ((asked_.label || can_mix) && !asked_.pty) lines_.emplace(shape().step.tasks, asked_.label);
  auto begin = begin_of(settings_.plan, *step_, routes_);
  if (!begin) {
    complain(begin.refusal().fact);
    ends_.at_least(settings_.exit_error);
    return end_step();
  }
  begin_ = std::move(*begin);
  if (settings_.attached) begin_.commands = {attach_command(settings_.attached->step.key.number)};
  begin_.umask = settings_.umask;
  begin_.rows = settings_.rows;
  begin_.columns = settings_.columns;
  begin_.credit = node_credit();
  actions_.push_back(OpenFiles{routes_});
  for (const auto& [peer, joined] : std::exchange(early_, {})) join(peer, joined);
}

// ---- its end ------------------------------------------------------------------------------------

// Prints, only once, Slurm's line that the step is aborted and within how many seconds it ends.
void StepSession::say_aborted() {
  if (settings_.attached || std::exchange(printed_aborted_, true)) return;
  const bool all_left = std::ranges::all_of(nodes_, &Node::left);
  const bool is_known = kill_wait_ms_ > 0 && !all_left;
  say("Job step aborted" +
      (is_known ? ": Waiting up to " + std::to_string(kill_wait_ms_ / 1000 + abort_s) +
                      " seconds for job step to finish."
                : ""));
}

void StepSession::end_step(std::int32_t signal) {
  if (std::exchange(ending_, true)) return;
  actions_.push_back(EndStep{signal});
}

void StepSession::advance(Now now) {
  const auto is_due = [&](std::optional<Boot>& at) {
    if (!at || now.boot < *at) return false;
    at.reset();
    return true;
  };
  if (is_due(request_at_))
    actions_.push_back(RequestStep{runs() ? JobState::Running : JobState::Pending, ask_wait});
  if (is_due(immediate_at_))
    give_up_waiting("Unable to create step for job " +
                        std::to_string(settings_.plan.create.job.value) +
                        ": Requested nodes are busy",
                    settings_.exit_immediate, now);
  if (is_due(wait_at_) && !final_) {
    say("First task exited " + std::to_string(asked_.wait_s) + "s ago");
    show_tasks();
    say("Terminating " + id());
    killed_ = true;
    say_aborted();
    end_step(SIGKILL);
  }
  std::vector<std::string> names;
  for (const Node& node : nodes_) names.push_back(node.name);
  show_ends(ends_.due(names, now.boot));
  const bool all_left = runs() && std::ranges::all_of(nodes_, &Node::left);
  if (all_left && !leave_at_) {
    leave_at_ = now.boot + leave_wait;
    // the RequestStep in flight may be lost, if the controller was replaced
    request_at_ = now.boot + ask_anew_after;
  }
  if ((all_left && final_) || is_due(leave_at_)) finish();
}

void StepSession::finish() {
  exit_code_ = abandoned_.value_or(0);
  if (!runs()) return;
  write_rest();
  // The step ends as cancelled, and not by this srun: a user has cancelled the step or its job.
  if (final_ == JobState::Cancelled && !ending_ && settings_.shows_ends) say_aborted();
  std::vector<std::string> lost;
  for (std::size_t at = 0; at < nodes_.size(); ++at) {
    show_ends(ends_.report_node(static_cast<std::int32_t>(at), nodes_[at].name));
    if (!nodes_[at].left) lost.push_back(nodes_[at].name);
  }
  if (final_ == JobState::NodeFail) complain("Node failure on " + compress_hostlist(lost));
  const bool is_cut = !lost.empty() && final_ && is_plain_end(*final_);
  if (is_cut) complain("the last output of the tasks on " + compress_hostlist(lost) + " is lost");
  const Step& step = step_->step;
  if (is_cut && !step.why.empty()) complain(id() + ": " + step.why);
  if (killed_by_signal_ && !printed_aborted_ && settings_.shows_ends && !settings_.attached)
    say("Force Terminated " + id());
  const int by_signal = step.exit_signal != 0 ? signal_base + step.exit_signal : 0;
  exit_code_ = std::max(ends_.exit_code(), std::max<int>(step.exit_code, by_signal));
  if (*exit_code_ == 0 && final_ && (is_cut || !is_plain_end(*final_)))
    exit_code_ = settings_.exit_error;
}

// Prints the unfinished last lines of the tasks' output.
void StepSession::write_rest() {
  if (!lines_) return;
  for (const StreamName stream : {StreamName::Output, StreamName::Error}) {
    std::string rest = lines_->end_all(stream);
    if (!rest.empty()) actions_.push_back(Write{sink_of(stream), std::move(rest)});
  }
}

// Ends this session of sattach: ends its own step without tasks. The watched step continues.
void StepSession::detach(int exit_code) {
  write_rest();
  end_step();
  exit_code_ = exit_code;
}

// ---- the user -----------------------------------------------------------------------------------

void StepSession::show_ends(const std::vector<std::string>& lines) {
  if (!settings_.shows_ends) return;
  for (const std::string& line : lines) complain(line);
}

void StepSession::show_tasks() {
  std::vector<std::int32_t> running, failed, ended;
  for (const Node& node : nodes_)
    for (const std::int32_t rank : node.ranks)
      (!node.ended.contains(rank)   ? running
       : node.failed.contains(rank) ? failed
                                    : ended)
          .push_back(rank);
  if (!running.empty()) say(id() + " " + task_list(running) + ": running");
  if (!failed.empty()) say(id() + " " + task_list(failed) + ": exited abnormally");
  if (!ended.empty()) say(id() + " " + task_list(ended) + ": exited");
}

void StepSession::handle(const FilesFailed& failed, Now) {
  complain(failed.why.fact);
  ends_.at_least(settings_.exit_error);
  end_step();
}

void StepSession::handle(const SinkLost& lost, Now) {
  if (!lost.why.empty()) complain(lost.why);
  if (lost.sink != Sink::Output || std::exchange(output_lost_, true)) return;
  if (settings_.attached) return detach(exit_code());
  signal_tasks(SIGPIPE);  // the tasks get the signal of a writer to a closed pipe
}

}  // namespace cox
