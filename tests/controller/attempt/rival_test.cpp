// Tests two workers under the name of one node, and lists of a node that cross a launch.
#include <gtest/gtest.h>

#include "controller/state/node_health.h"
#include "tests/controller/bench.h"

namespace cox {
namespace {

using std::chrono::seconds;

class Rivals : public testing::Test, public Bench {
 protected:
  Rivals() {
    config.lease = seconds{60};
    restart();
    node("n1", 2);
    WorkerHello hello = hello_from("10.0.0.1", "spool-a", "boot-a");
    hello.session = session["n1"];
    say(hello);
  }

  WorkerHello hello_from(const std::string& address, const std::string& spool,
                         const std::string& boot) {
    WorkerHello hello;
    hello.node = *controller->cluster().node("n1");
    hello.node.address = address;
    hello.node.spool_id = spool;
    hello.node.boot_id = boot;
    hello.session = "session " + std::to_string(++sessions);
    hello.started_ms = 1;
    hello.term_seen = controller->cluster().term();
    return hello;
  }
  // Returns "welcome", why the worker is not served, or "end: " and why it is to end.
  std::string say(WorkerHello& hello) {
    hello.number = ++numbers["n1"];
    return answer_to(hello);
  }
  std::string answer_to(const Message& message) {
    take<Welcome>();
    take<Rejected>();
    deliver("n1", message);
    if (!take<Welcome>().empty()) return "welcome";
    const auto rejected = take<Rejected>();
    if (rejected.empty()) return "";
    const Rejected& answer = rejected.at(0).second;
    return (answer.ends_worker ? "end: " : "") + answer.why.fact;
  }
  // Sends the heartbeat of the worker that is served; it has received the acknowledgement of the
  // one before.
  void beat_confirmed() {
    std::vector<Heartbeat::Entry> entries;
    for (const JobId id : controller->cluster().jobs().on_node("n1"))
      entries.push_back({attempt(id).key, 0, attempt(id).nodes.at(0).phase, 0});
    Heartbeat beat{"n1", session["n1"], ++numbers["n1"], entries};
    beat.confirmed = std::exchange(last_beat, beat.number);
    deliver("n1", beat);
  }
  JobId running() {
    const JobId id = submit({.tasks = 2});
    ready(id);
    status("n1", status_of(id, NodePhase::Running));
    EXPECT_EQ(state(id), "RUNNING");
    return id;
  }
  std::string attempt_outcome(JobId id, int number) {
    return database->tables.attempts.at({id, AttemptNumber{number}}).outcome;
  }
  NodeView view() { return std::get<NodeList>(ask(ListNodes{}).body).nodes.at(0); }

  std::int64_t last_beat = 0;
};

constexpr const char* first_place = "10.0.0.1 (spool folder spool-a, boot boot-a)";

TEST_F(Rivals, AWorkerThatStartsAgainInItsSpoolFolderIsServedAtOnce) {
  const JobId id = running();
  WorkerHello again = hello_from("10.0.0.1", "spool-a", "boot-a");
  again.attempts = {status_of(id, NodePhase::Running)};
  EXPECT_EQ(say(again), "welcome");
  EXPECT_EQ(state(id), "RUNNING");
}

TEST_F(Rivals, AnEmptySpoolFolderIsNoProofThatTheNodeRunsNothing) {
  const JobId id = running();
  WorkerHello empty = hello_from("10.0.0.1", "spool-b", "boot-a");
  EXPECT_EQ(say(empty), std::string("node n1 has another worker: it is served by the worker at ") +
                            first_place +
                            "; this one is at 10.0.0.1 (spool folder spool-b, boot boot-a)");
  pass(config.node_timeout + seconds{1});
  EXPECT_EQ(say(empty), std::string("node n1 has another worker: jobs may still run under the "
                                    "worker at ") +
                            first_place +
                            "; this one is at 10.0.0.1 (spool folder spool-b, boot boot-a)");
  EXPECT_EQ(state(id), "RUNNING");
  pass(lost_after(config));
  EXPECT_EQ(attempt_outcome(id, 1), "the lease of node n1 has ended");
  EXPECT_EQ(say(empty), "welcome");
}

TEST_F(Rivals, AMachineThatBootsAgainIsBelievedOnceTheWorkerBeforeIsSilent) {
  const JobId id = running();
  WorkerHello booted = hello_from("10.0.0.1", "spool-a", "boot-b");
  EXPECT_NE(say(booted), "welcome");
  EXPECT_EQ(state(id), "RUNNING");
  pass(missed_beats_to_suspect * config.heartbeat + seconds{1});
  EXPECT_EQ(say(booted), "welcome");
  EXPECT_EQ(attempt_outcome(id, 1), "node n1 has rebooted");
}

TEST_F(Rivals, ACloneIsToldToEndWhileTheWorkerThatIsServedLives) {
  const JobId id = running();
  beat_confirmed();
  WorkerHello clone = hello_from("10.0.0.9", "spool-a", "boot-b");
  EXPECT_TRUE(say(clone).starts_with("node n1 has another worker"));
  beat_confirmed();
  EXPECT_TRUE(say(clone).starts_with("node n1 has another worker"))
      << "this acknowledgement may have been sent before the clone came";
  beat_confirmed();
  EXPECT_TRUE(say(clone).starts_with("end: node n1 has another worker"));
  EXPECT_EQ(view().second_worker, "10.0.0.9 (spool folder spool-a, boot boot-b)");
  EXPECT_EQ(state(id), "RUNNING");
  const auto& events = database->tables.node_events;
  EXPECT_EQ(std::ranges::count(events, std::string("second worker"), &NodeEvent::what), 1);
  for (int beats = 0; beats < 61; ++beats) {
    pass(seconds{1});
    beat_confirmed();
  }
  EXPECT_EQ(view().second_worker, "") << "it has not come for a minute";
}

TEST_F(Rivals, AWorkerThatWasReplacedWhileItWasSilentIsToldToEnd) {
  pass(config.node_timeout + seconds{1});
  WorkerHello spare = hello_from("10.0.0.9", "spool-b", "boot-b");
  ASSERT_EQ(say(spare), "welcome") << "no job waits for the node";
  EXPECT_EQ(answer_to(Heartbeat{"n1", session["n1"], ++numbers["n1"], {}}),
            "end: node n1 is served by another worker at 10.0.0.9 (spool folder spool-b, boot "
            "boot-b), which came later");
}

TEST_F(Rivals, AWorkerOfThePreviousVersionDoesNotSayWhichSpoolFolderItHas) {
  const JobId id = running();
  WorkerHello upgraded = hello_from("10.0.0.1", "", "boot-a");
  upgraded.attempts = {status_of(id, NodePhase::Running)};
  EXPECT_EQ(say(upgraded), "welcome");
  upgraded = hello_from("10.0.0.1", "spool-c", "boot-a");
  upgraded.attempts = {status_of(id, NodePhase::Running)};
  EXPECT_EQ(say(upgraded), "welcome");
  EXPECT_EQ(state(id), "RUNNING");
}

TEST_F(Rivals, AHeartbeatThatCrossesTheLaunchOfACancelledJobIsNoProof) {
  beat_confirmed();
  const JobId id = submit({.tasks = 2});
  ASSERT_EQ(take<Prepare>().size(), 1U);
  ask(ActOnJobs{JobVerb::Cancel, {id}});
  const auto beat_without = [&] {
    Heartbeat beat{"n1", session["n1"], ++numbers["n1"], {}};
    beat.confirmed = std::exchange(last_beat, beat.number);
    deliver("n1", beat);
  };
  beat_without();
  EXPECT_NE(state(id), "CANCELLED") << "the heartbeat may be older than the launch";
  beat_without();
  EXPECT_NE(state(id), "CANCELLED") << "the acknowledgement may be older than the launch";
  beat_without();
  EXPECT_EQ(state(id), "CANCELLED");
  EXPECT_TRUE(controller->cluster().node("n1")->failures.empty()) << "the node is not to blame";
}

}  // namespace
}  // namespace cox
