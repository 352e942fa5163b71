// A Worker with a launcher that only records its calls, for the worker's tests.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "worker/worker.h"

namespace cox {

inline constexpr AttemptKey an_attempt{JobId{7}, AttemptNumber{1}};

using Calls = std::vector<std::string>;

// Expects exactly one message and returns it.
template <class T>
T only(const std::vector<Message>& said) {
  EXPECT_EQ(said.size(), 1U);
  if (said.size() != 1 || !std::holds_alternative<T>(said.front())) {
    ADD_FAILURE() << "a message of another kind";
    return {};
  }
  return std::get<T>(said.front());
}

class IdleLauncher : public Launcher {
 public:
  Failure prepare(const LaunchSpec& launch) override {
    note("prepare", launch.key);
    prepared = launch;
    return refusal.empty() ? Failure{} : Refusal{refusal, ""};
  }
  void go(AttemptKey key, const GoOrder& order) override {
    note("go to " + order.master_address, key);
  }
  void stop(AttemptKey key, const StopOrder& order) override { note("stop " + order.detail, key); }
  void suspend(AttemptKey key, const Suspension& order) override {
    note("suspend " + std::to_string(order.number), key);
  }
  void renew_lease(AttemptKey key, Boot until) override {
    note("renew", key);
    leases.push_back(until);
  }
  void launch_step(AttemptKey key, const StepLaunch& launch) override {
    note("launch step " + std::to_string(launch.number), key);
  }
  void stop_step(AttemptKey key, std::int32_t number) override {
    note("stop step " + std::to_string(number), key);
  }
  void signal(const SignalAttempt& order) override {
    note("signal " + std::to_string(order.signal), order.key);
  }
  void acknowledge(AttemptKey key, std::int64_t revision) override {
    note("acknowledge " + std::to_string(revision), key);
  }
  void forget(AttemptKey key) override {
    note("forget", key);
    forgotten.push_back(key);
  }
  void remove_checkpoint(const std::string& folder, AttemptKey key, std::int64_t step) override {
    note("remove " + folder + " step " + std::to_string(step), key);
  }
  void verify_checkpoint(const VerifyCheckpoint& order) override {
    note("verify " + order.folder, order.key);
  }
  std::string unfit() override { return unfit_why; }
  std::vector<LauncherEvent> poll() override { return std::exchange(events, {}); }

  std::vector<std::string> take_calls() { return std::exchange(calls, {}); }

  std::vector<Boot> leases;
  std::vector<AttemptKey> forgotten;
  std::vector<LauncherEvent> events;
  std::vector<std::string> calls;  // such as "go to n1, 7.1" for job 7, attempt 1
  LaunchSpec prepared;             // the newest launch
  std::string refusal;             // if set, prepare() fails with it
  std::string unfit_why;

 private:
  void note(const std::string& what, AttemptKey key) {
    calls.push_back(what + ", " + std::to_string(key.job.value) + "." +
                    std::to_string(key.attempt.value));
  }
};

class KeptTerm : public TermStore {
 public:
  Term load() override { return kept; }
  Failure keep(Term term) override {
    if (is_full) return Refusal{"no space left", ""};
    kept = term;
    return std::nullopt;
  }
  JobId newest_job() override { return newest; }
  void note_newest_job(JobId job) override { newest = job; }
  Term kept;
  JobId newest;
  bool is_full = false;
};

class WorkerTest : public ::testing::Test {
 protected:
  // Gives the worker a message of the controller. Returns the messages that the worker then sends.
  std::vector<Message> hear(const Message& message) {
    worker_.receive(message, now_);
    return worker_.take_outgoing();
  }
  void welcome(Term term) { hear(Welcome{term, "c", 2'000, "a"}); }
  std::vector<Message> prepare(Term term, AttemptKey key = an_attempt, std::size_t nodes = 1) {
    LaunchSpec launch;
    launch.key = key;
    launch.nodes.resize(nodes);
    return hear(Prepare{term, launch});
  }
  // Lets a supervisor report this status to the worker. Returns the messages that the worker then
  // sends.
  std::vector<Message> said_by_supervisor(const AttemptStatus& status) {
    launcher_.events.push_back(SupervisorReported{status});
    worker_.run(now_);
    return worker_.take_outgoing();
  }
  static AttemptStatus status_of(std::int64_t revision, NodePhase phase) {
    AttemptStatus status;
    status.key = an_attempt;
    status.revision = revision;
    status.phase = phase;
    return status;
  }
  // Lets the worker prepare the attempt, and its supervisor report a status with this revision and
  // phase.
  void launch(Term term, std::int64_t revision, NodePhase phase) {
    prepare(term);
    said_by_supervisor(status_of(revision, phase));
  }
  void launch_and_end(Term term) { launch(term, 3, NodePhase::Gone); }
  std::vector<Message> tick_after(std::int64_t ms) {
    now_.boot += Milliseconds{ms};
    worker_.tick(now_);
    return worker_.take_outgoing();
  }

  Now now_{boot_from_ms(100'000), wall_from_ms(1'700'000'000'000)};
  IdleLauncher launcher_;
  KeptTerm terms_;
  Worker worker_{Node{}, "a", true, launcher_, terms_};
};

}  // namespace cox
