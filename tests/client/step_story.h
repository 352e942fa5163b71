// Runs the session of srun (StepSession) in a test: the test feeds it events, and Story records its
// actions.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "client/step/step_session.h"

namespace cox {

using namespace srun;
using Words = std::vector<std::string>;

// A session of srun, the actions that it has taken, and its clock, which only pass() advances.
class Story {
 public:
  // `programs` is the content of the file that --multi-prog names.
  explicit Story(const Words& options, std::int64_t nodes = 2, std::int64_t tasks_each = 2,
                 const std::string& programs = "")
      : nodes_(nodes), tasks_each_(tasks_each), session_(settings_of(options, programs)) {
    now_.wall = wall_from_ms(1'800'000'000'000);
    feed(Started{});
  }

  void feed(const Event& event) {
    for (const Action& action : session_.on(event, now_)) keep(action);
  }
  void pass(std::int64_t ms) {
    now_.boot += Milliseconds{ms};
    now_.wall += Milliseconds{ms};
    feed(Tick{});
  }

  void shown(JobState state) {
    StepShown shown{view(state), state == JobState::Pending ? "Requested nodes are busy" : "",
                    kill_wait_ms, state == JobState::Running ? warning : ""};
    shown.view.step.asked_to_stop = asked_to_stop;
    feed(Answered{shown});
  }
  void join(std::int32_t node) {
    feed(MessageReceived{peer(node),
                         StepJoin{3, node, "n" + std::to_string(node + 1), ranks(node)}});
  }
  // Reports that the controller has started the step and that all nodes have joined it, and drops
  // the actions recorded so far.
  void begin() {
    shown(JobState::Running);
    for (std::int32_t node = 0; node < nodes_; ++node) join(node);
    all_sent.clear();
    words.clear();
  }
  void deliver(std::int32_t node, Message message) {
    feed(MessageReceived{peer(node), std::move(message)});
  }
  void output(std::int32_t rank, const std::string& data) {
    deliver(node_of(rank), StreamBytes{rank, StreamName::Output, data});
  }
  void error(std::int32_t rank, const std::string& data) {
    deliver(node_of(rank), StreamBytes{rank, StreamName::Error, data});
  }
  void end(std::int32_t rank, std::int32_t code, std::int32_t by = 0, bool core = false) {
    deliver(node_of(rank), TaskEnded{rank, code, by, core, false, ""});
  }
  void leave(JobState state, std::int32_t code = 0) {
    for (std::int32_t node = 0; node < nodes_; ++node) deliver(node, StepLeft{});
    exit_code = code;
    shown(state);
  }

  template <class M>
  std::vector<M> sent(std::int32_t node) const {
    std::vector<M> found;
    for (const SendMessage& one : all_sent)
      if (one.peer == peer(node))
        if (const auto* message = std::get_if<M>(&one.message)) found.push_back(*message);
    return found;
  }

  StepSession& session() { return session_; }

  std::string out, err, words;
  std::vector<SendMessage> all_sent;
  std::vector<RequestStep> asked;
  std::vector<Write> writes;
  std::vector<std::int32_t> ends;      // the signal of each EndStep
  std::int32_t exit_code = 0;          // of the step, in the controller's replies
  std::string warning;                 // of the running step, in the controller's replies
  std::int64_t kill_wait_ms = 30'000;  // the kill_wait in the controller's replies, in ms
  bool asked_to_stop = false;          // as the controller's replies say of the step

 private:
  static StepSession::Settings settings_of(const Words& options, const std::string& programs) {
    Words line = options;
    line.push_back("train");
    const auto plan = plan_step(*parse_step(line), {{"SLURM_JOB_ID=12"}, "/home/ann", "login1"},
                                [&](const std::string&) {
                                  return programs.empty() ? std::nullopt : std::optional(programs);
                                });
    EXPECT_TRUE(plan.ok()) << (plan.ok() ? "" : plan.refusal().fact);
    StepSession::Settings settings;
    settings.plan = *plan;
    return settings;
  }
  StepView view(JobState state) const {
    StepView view;
    view.step.key = {{JobId{12}, AttemptNumber{1}}, 3};
    view.step.state = state;
    view.step.exit_code = exit_code;
    if (state == JobState::Pending) return view;
    view.step.tasks = nodes_ * tasks_each_;
    for (std::int64_t i = 0; i < nodes_; ++i)
      view.step.nodes.push_back({"n" + std::to_string(i + 1), 2, 2, 0, {}, StepPhase::Running});
    return view;
  }
  std::vector<std::int32_t> ranks(std::int32_t node) const {
    std::vector<std::int32_t> ranks;
    for (std::int64_t i = 0; i < tasks_each_; ++i)
      ranks.push_back(static_cast<std::int32_t>(node * tasks_each_ + i));
    return ranks;
  }
  std::int32_t node_of(std::int32_t rank) const {
    return rank / static_cast<std::int32_t>(tasks_each_);
  }
  static std::string peer(std::int32_t node) { return "peer" + std::to_string(node); }

  void keep(const Action& action) {
    if (const auto* send = std::get_if<SendMessage>(&action)) all_sent.push_back(*send);
    if (const auto* ask = std::get_if<RequestStep>(&action)) asked.push_back(*ask);
    if (const auto* end = std::get_if<EndStep>(&action)) ends.push_back(end->signal);
    const auto* write = std::get_if<Write>(&action);
    if (write == nullptr) return;
    (write->sink == Sink::Output ? out : write->sink == Sink::Error ? err : words) += write->text;
    writes.push_back(*write);
  }

  std::int64_t nodes_;
  std::int64_t tasks_each_;
  Now now_{};
  StepSession session_;
};

}  // namespace cox
