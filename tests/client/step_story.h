// A session of srun, told as a story: what happens to it is fed in, what came of it is kept.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "client/step/step_session.h"

namespace cox {

using namespace srun;
using Words = std::vector<std::string>;

// A session with what came of it so far, and a clock that stands still.
class Story {
 public:
  // `programs`: what the file of --multi-prog holds.
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
                    kill_wait_ms};
    feed(Answered{shown});
  }
  void join(std::int32_t node) {
    feed(Heard{peer(node), StepJoin{3, node, "n" + std::to_string(node + 1), ranks(node)}});
  }
  // The controller has started it, and all nodes have called.
  void begin() {
    shown(JobState::Running);
    for (std::int32_t node = 0; node < nodes_; ++node) join(node);
    said.clear();
    words.clear();
  }
  void say(std::int32_t node, Message message) { feed(Heard{peer(node), std::move(message)}); }
  void output(std::int32_t rank, const std::string& data) {
    say(node_of(rank), StreamBytes{rank, StreamName::Output, data});
  }
  void error(std::int32_t rank, const std::string& data) {
    say(node_of(rank), StreamBytes{rank, StreamName::Error, data});
  }
  void end(std::int32_t rank, std::int32_t code, std::int32_t by = 0, bool core = false) {
    say(node_of(rank), TaskEnded{rank, code, by, core, false, ""});
  }
  void leave(JobState state, std::int32_t code = 0) {
    for (std::int32_t node = 0; node < nodes_; ++node) say(node, StepLeft{});
    exit_code = code;
    shown(state);
  }

  template <class M>
  std::vector<M> told(std::int32_t node) const {
    std::vector<M> found;
    for (const Tell& one : said)
      if (one.peer == peer(node))
        if (const auto* message = std::get_if<M>(&one.message)) found.push_back(*message);
    return found;
  }

  StepSession& session() { return session_; }

  std::string out, err, words;
  std::vector<Tell> said;
  std::vector<Ask> asked;
  std::vector<Write> writes;
  int ends_asked = 0;
  std::int32_t exit_code = 0;          // recorded by the controller
  std::int64_t kill_wait_ms = 30'000;  // set by the controller

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
    if (const auto* tell = std::get_if<Tell>(&action)) said.push_back(*tell);
    if (const auto* ask = std::get_if<Ask>(&action)) asked.push_back(*ask);
    if (std::holds_alternative<EndStep>(action)) ++ends_asked;
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
