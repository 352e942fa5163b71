// Tests what a worker reports about its attempts and its node, and when.
#include "tests/worker/worker_story.h"

namespace cox {
namespace {

class WorkerReports : public WorkerTest {
 protected:
  WorkerReports() {
    welcome(Term{2});
    tick_after(0);
    worker_.take_remarks();
  }
  std::int64_t revision_ = 0;
};

TEST_F(WorkerReports, ALostSupervisorIsReportedAsAnEnd) {
  launch(Term{2}, 2, NodePhase::Running);
  launcher_.events.push_back(SupervisorLost{an_attempt, status_of(2, NodePhase::Running)});
  worker_.run(now_);
  const AttemptStatus status = only<StatusReport>(worker_.take_outgoing()).status;
  EXPECT_EQ(status.phase, NodePhase::Gone);
  EXPECT_EQ(status.revision, 3);
  EXPECT_TRUE(status.supervisor_lost);
  EXPECT_EQ(worker_.take_remarks(),
            (Calls{"job=7 attempt=1 starts user=\"\" name=\"\" cpus=0",
                   "job=7 attempt=1 its supervisor is lost", "job=7 attempt=1 has ended ran_s=0"}));
}

TEST_F(WorkerReports, AStatusIsRepeatedUntilItsRevisionIsAcknowledged) {
  launch(Term{2}, 2, NodePhase::Running);
  const auto reports = [](const std::vector<Message>& said) {
    std::size_t count = 0;
    for (const Message& message : said) count += std::holds_alternative<StatusReport>(message);
    return count;
  };
  EXPECT_EQ(reports(tick_after(1'999)), 0U);
  EXPECT_EQ(reports(tick_after(1)), 1U);
  EXPECT_EQ(reports(tick_after(1'999)), 0U);
  hear(StatusAck{an_attempt, 1, Term{2}});
  EXPECT_EQ(reports(tick_after(1)), 1U) << "only an older revision was acknowledged";
  hear(StatusAck{an_attempt, 2, Term{2}});
  hear(StatusAck{an_attempt, 1, Term{2}});
  EXPECT_EQ(reports(tick_after(2'000)), 0U);
}

TEST_F(WorkerReports, AStatusOfAnAttemptInPreparationIsNotReportedToTheController) {
  prepare(Term{2});
  EXPECT_TRUE(said_by_supervisor(status_of(1, NodePhase::Preparing)).empty());
  EXPECT_EQ(only<StatusReport>(said_by_supervisor(status_of(2, NodePhase::Ready))).status.phase,
            NodePhase::Ready);
}

TEST_F(WorkerReports, AnOldStatusChangesNothingButTheRunTime) {
  AttemptStatus status = status_of(2, NodePhase::Running);
  prepare(Term{2});
  said_by_supervisor(status);
  status.phase = NodePhase::Stopping;
  status.ran_ms = 700;
  EXPECT_TRUE(said_by_supervisor(status).empty());
  status.ran_ms = 600;
  said_by_supervisor(status);
  hear(StatusAck{an_attempt, 2, Term{2}});
  const Heartbeat beat = only<Heartbeat>(tick_after(2'000));
  ASSERT_EQ(beat.attempts.size(), 1U);
  EXPECT_EQ(beat.attempts[0].phase, NodePhase::Running);
  EXPECT_EQ(beat.attempts[0].ran_ms, 2'700);
}

TEST_F(WorkerReports, RunTimeIsCountedWhileTheAttemptRunsOrStopsAndIsNotSuspended) {
  const auto reported_after_a_beat = [&](NodePhase phase, bool suspended) {
    AttemptStatus status = status_of(++revision_, phase);
    status.suspension.suspended = suspended;
    status.ran_ms = 100;
    said_by_supervisor(status);
    for (const Message& said : tick_after(2'000))
      if (const auto* beat = std::get_if<Heartbeat>(&said)) return beat->attempts.at(0).ran_ms;
    return std::int64_t{-1};
  };
  prepare(Term{2});
  EXPECT_EQ(reported_after_a_beat(NodePhase::Ready, false), 100);
  EXPECT_EQ(reported_after_a_beat(NodePhase::Running, false), 2'100);
  EXPECT_EQ(reported_after_a_beat(NodePhase::Running, true), 100);
  EXPECT_EQ(reported_after_a_beat(NodePhase::Stopping, false), 2'100);
  EXPECT_EQ(reported_after_a_beat(NodePhase::Stopping, true), 2'100);
  EXPECT_EQ(reported_after_a_beat(NodePhase::Gone, false), 100);
}

TEST_F(WorkerReports, AHeartbeatReportsTheNewestLoadIfItIsKnown) {
  EXPECT_EQ(only<Heartbeat>(tick_after(2'000)).load, std::nullopt);
  worker_.set_load(NodeLoad{150, 2'048});
  worker_.set_load(NodeLoad{25, 1'024});
  EXPECT_TRUE(tick_after(1).empty()) << "a new load alone is no reason for a message";
  EXPECT_EQ(only<Heartbeat>(tick_after(2'000)).load, (NodeLoad{25, 1'024}));
  worker_.set_load(std::nullopt);
  EXPECT_EQ(only<Heartbeat>(tick_after(2'000)).load, std::nullopt);
}

TEST_F(WorkerReports, AHealthCheckResultIsReportedAtOnceAndOnce) {
  worker_.set_health("bad disk", now_);
  EXPECT_EQ(only<Heartbeat>(worker_.take_outgoing()).unfit, "bad disk");
  worker_.set_health("bad disk", now_);
  EXPECT_TRUE(worker_.take_outgoing().empty());
  launcher_.unfit_why = "cannot fork";
  launcher_.refusal = "fork failed";
  prepare(Term{2});
  worker_.take_remarks();
  worker_.set_health(std::nullopt, now_);
  EXPECT_EQ(only<Heartbeat>(worker_.take_outgoing()).unfit, "cannot fork")
      << "the launcher's reason comes first";
  launcher_.unfit_why = "";
  const std::vector<Message> said = tick_after(1);
  EXPECT_EQ(only<Heartbeat>(said).unfit, std::nullopt);
  EXPECT_EQ(worker_.take_remarks(), Calls{"it can launch again"});
}

TEST_F(WorkerReports, AnUnmountedCheckpointFolderIsReportedWithAHello) {
  worker_.set_shares_checkpoints(true, now_);
  EXPECT_TRUE(worker_.take_outgoing().empty());
  worker_.set_shares_checkpoints(false, now_);
  EXPECT_FALSE(only<WorkerHello>(worker_.take_outgoing()).shares_checkpoints);
}

TEST_F(WorkerReports, AWorkerThatTheControllerRejectsLogsTheReason) {
  hear(Rejected{{"it speaks version 1", "upgrade it"}});
  EXPECT_EQ(worker_.take_remarks(), Calls{"rejected by the controller why=\"it speaks version 1\" "
                                          "hint=\"upgrade it\""});
}

TEST_F(WorkerReports, OnlyAWorkerThatIsNeverServedEnds) {
  const Rejected waits{{"node n1 has another worker", "stop it"}, "a", false};
  hear(waits);
  hear(waits);
  EXPECT_EQ(worker_.take_remarks().size(), 1U) << "the same reason is logged once";
  hear(Rejected{{"another session", ""}, "b", true});
  EXPECT_EQ(worker_.refused(), "");
  hear(Rejected{{"node n1 has another worker", "stop it"}, "a", true});
  EXPECT_EQ(worker_.refused(), "node n1 has another worker");
}

TEST_F(WorkerReports, OnlyAWelcomeOfANewTermIsAnsweredWithAHello) {
  EXPECT_TRUE(hear(Welcome{Term{2}, "c", 2'000, "a"}).empty());
  EXPECT_TRUE(hear(Welcome{Term{3}, "c", 2'000, "b"}).empty()) << "of another session";
  EXPECT_EQ(only<WorkerHello>(hear(Welcome{Term{3}, "c", 500, "a"})).term_seen, Term{3});
  EXPECT_TRUE(tick_after(499).empty());
  only<Heartbeat>(tick_after(1));
  hear(Welcome{Term{3}, "c", 0, "a"});
  EXPECT_TRUE(tick_after(499).empty()) << "0 ms does not change the interval";
  only<Heartbeat>(tick_after(1));
}

// Before its first Welcome a worker sends no status reports, since its hello lists all attempts.
TEST_F(WorkerReports, AHelloListsEveryAttemptAndIsRepeated) {
  Worker fresh(Node{}, "b", true, launcher_, terms_);
  AttemptStatus status = status_of(4, NodePhase::Running);
  status.ran_ms = 50;
  launcher_.events.push_back(SupervisorReported{status});
  fresh.run(now_);
  EXPECT_TRUE(fresh.take_outgoing().empty());
  fresh.set_health("bad disk", now_);
  EXPECT_TRUE(fresh.take_outgoing().empty());
  fresh.tick(now_);
  const Boot first_hello = now_.boot;
  const WorkerHello first = only<WorkerHello>(fresh.take_outgoing());
  EXPECT_EQ(first.unfit, "bad disk");
  EXPECT_EQ(first.attempts.at(0).revision, 4);
  fresh.tick(now_);
  EXPECT_TRUE(fresh.take_outgoing().empty());
  now_.boot += Milliseconds{10'000};
  fresh.tick(now_);
  const WorkerHello second = only<WorkerHello>(fresh.take_outgoing());
  EXPECT_EQ(second.attempts.at(0).ran_ms, 10'050);
  EXPECT_EQ(second.started_ms, to_ms(first_hello));
  EXPECT_EQ(second.number, first.number + 1);
}

}  // namespace
}  // namespace cox
