// Tests which terms a worker obeys, and the messages it sends. Its launcher starts nothing.
#include "tests/worker/worker_story.h"

namespace cox {
namespace {

TEST_F(WorkerTest, ForgetsAnEndedAttemptOnceTheLeaderAcknowledgedItsLastStatus) {
  welcome(Term{2});
  launch_and_end(Term{2});
  hear(StatusAck{an_attempt, 2, Term{2}});
  EXPECT_TRUE(launcher_.forgotten.empty()) << "only an older revision was acknowledged";
  hear(StatusAck{an_attempt, 3, Term{2}});
  EXPECT_EQ(launcher_.forgotten, std::vector{an_attempt});
}

// A controller whose database was restored from a backup may lack the job; it must not issue that
// id again.
TEST_F(WorkerTest, ReportsTheHighestJobIdThatTheWorkerEverPreparedAfterARestart) {
  welcome(Term{2});
  launch(Term{2}, 1, NodePhase::Running);
  Worker restarted(Node{}, "b", true, launcher_, terms_);
  restarted.tick(now_);
  const auto said = restarted.take_outgoing();
  ASSERT_EQ(said.size(), 1u);
  EXPECT_EQ(std::get<WorkerHello>(said.front()).newest_job, an_attempt.job);
}

TEST_F(WorkerTest, NamesItsClusterInTheHello) {
  Worker of_hydra(Node{}, "b", true, launcher_, terms_, "hydra");
  of_hydra.tick(now_);
  const auto said = of_hydra.take_outgoing();
  ASSERT_EQ(said.size(), 1u);
  EXPECT_EQ(std::get<WorkerHello>(said.front()).cluster_name, "hydra");
}

TEST_F(WorkerTest, ConfirmsThatACheckpointIsRemoved) {
  welcome(Term{2});
  launcher_.events.push_back(CheckpointGone{an_attempt, 40});
  worker_.run(now_);
  const auto said = worker_.take_outgoing();
  ASSERT_EQ(said.size(), 1u);
  EXPECT_EQ(std::get<CheckpointRemoved>(said.front()).step, 40);
}

TEST_F(WorkerTest, VerifiesACheckpointAndReportsTheOutcomeInItsName) {
  hear(Welcome{Term{2}, "c", 2'000, "a"});
  launcher_.take_calls();
  hear(VerifyCheckpoint{Term{2}, an_attempt, 40, "/checkpoints/step-40", 2, "", 0, 0});
  EXPECT_EQ(launcher_.take_calls().at(0).find("verify /checkpoints/step-40"), 0u);
  launcher_.events.push_back(
      CheckpointVerified{"", an_attempt, 40, ResumeFault::Differs, "rank-1/w: changed"});
  worker_.run(now_);
  const auto said = worker_.take_outgoing();
  ASSERT_EQ(said.size(), 1u);
  EXPECT_EQ(std::get<CheckpointVerified>(said.front()).fault, ResumeFault::Differs);
}

// The acknowledgement of a heartbeat may arrive late. The leader counts the lease from the
// heartbeat, and frees the node's room when that lease has passed, so the worker must count from
// there too.
TEST_F(WorkerTest, RenewsALeaseFromTheTimeOfItsHeartbeatNotOfTheReply) {
  welcome(Term{2});
  launch(Term{2}, 1, NodePhase::Running);
  const Boot asked = now_.boot += Milliseconds{2'000};
  worker_.tick(now_);
  std::int64_t number = 0;
  for (const Message& said : worker_.take_outgoing())
    if (const auto* beat = std::get_if<Heartbeat>(&said)) number = beat->number;
  ASSERT_GT(number, 0);
  now_.boot += Milliseconds{5'000};
  HeartbeatAck ack;
  ack.term = Term{2};
  ack.session = "a";
  ack.number = number;
  ack.lease_ms = 60'000;
  hear(ack);
  EXPECT_EQ(launcher_.leases, std::vector{asked + Milliseconds{60'000}});
}

// A former leader does not have what its successor launched. If its acknowledgement counted, the
// worker would forget the ended attempt, and the leader would take it for lost and run the job
// again.
TEST_F(WorkerTest, KeepsAnEndedAttemptThatOnlyAFormerLeaderHasAcknowledged) {
  welcome(Term{2});
  launch_and_end(Term{2});
  hear(StatusAck{an_attempt, 3, Term{1}});
  EXPECT_TRUE(launcher_.forgotten.empty());
}

TEST_F(WorkerTest, ForgetsAnEndedAttemptAcknowledgedByAnOlderControllerWithoutATerm) {
  welcome(Term{2});
  launch_and_end(Term{2});
  hear(StatusAck{an_attempt, 3});
  EXPECT_EQ(launcher_.forgotten, std::vector{an_attempt});
}

// If the worker obeyed a term that it cannot store, it would obey the former leader again after a
// restart.
TEST_F(WorkerTest, ObeysNoTermThatCannotBeStoredAndReportsTheReason) {
  welcome(Term{2});
  launch_and_end(Term{2});
  terms_.is_full = true;
  EXPECT_TRUE(hear(StatusAck{an_attempt, 3, Term{3}}).empty());
  EXPECT_TRUE(launcher_.forgotten.empty());
  EXPECT_FALSE(worker_.welcomed());
  now_.boot += Milliseconds{1'000};
  worker_.tick(now_);
  const std::vector<Message> said = worker_.take_outgoing();
  ASSERT_EQ(said.size(), 1U);
  EXPECT_EQ(std::get<WorkerHello>(said[0]).unfit, "no space left");
  EXPECT_EQ(std::get<WorkerHello>(said[0]).term_seen, Term{2});
  welcome(Term{3});
  EXPECT_FALSE(worker_.welcomed());
  const std::vector<std::string> log = worker_.take_remarks();
  EXPECT_EQ(std::ranges::count_if(
                log, [](const std::string& line) { return line.starts_with("cannot obey"); }),
            1)
      << "it is logged once";

  terms_.is_full = false;
  const std::vector<Message> anew = hear(Welcome{Term{3}, "c", 2'000, "a"});
  EXPECT_TRUE(worker_.welcomed());
  ASSERT_EQ(anew.size(), 1U);
  EXPECT_EQ(std::get<WorkerHello>(anew[0]).unfit, "");
}

TEST_F(WorkerTest, IsUnfitIfTheCheckpointFolderIsNotMountedWithin30Seconds) {
  Worker worker(Node{}, "b", false, launcher_, terms_);
  worker.set_health("", now_);
  worker.tick(now_);
  worker.receive(Welcome{Term{2}, "c", 2'000, "b"}, now_);
  worker.take_outgoing();
  const auto unfit_after = [&](Milliseconds passed) {
    now_.boot += passed;
    worker.tick(now_);
    std::optional<std::string> unfit;
    for (const Message& said : worker.take_outgoing())
      if (const auto* beat = std::get_if<Heartbeat>(&said)) unfit = beat->unfit;
    return unfit;
  };
  EXPECT_EQ(unfit_after(Milliseconds{29'999}), "") << "it may still be mounted";
  EXPECT_EQ(unfit_after(Milliseconds{1}), no_checkpoint_folder) << "the next heartbeat reports it";
  worker.set_shares_checkpoints(true, now_);
  const std::vector<Message> said = worker.take_outgoing();
  ASSERT_EQ(said.size(), 1U);
  EXPECT_EQ(std::get<WorkerHello>(said[0]).unfit, "");
}

TEST_F(WorkerTest, LogsTheStartAndTheEndOfEachAttempt) {
  welcome(Term{2});
  worker_.take_remarks();
  LaunchSpec launch;
  launch.key = an_attempt;
  launch.spec.user_name = "ada";
  launch.spec.name = "a \"name\"";
  launch.nodes.resize(2);
  launch.node_index = 1;
  launch.nodes[1].grant.cpus = 8;
  launch.nodes[1].grant.gpus = {0, 3};
  launch.array_job = JobId{5};
  launch.array_task = 2;
  hear(Prepare{Term{2}, launch});
  hear(Prepare{Term{2}, launch});
  EXPECT_EQ(worker_.take_remarks(),
            std::vector<std::string>{
                "job=7 attempt=1 starts user=\"ada\" name=\"a \\\"name\\\"\" array_job=5 "
                "array_task=2 cpus=8 gpus=2"});
  AttemptStatus status;
  status.key = an_attempt;
  status.revision = 1;
  status.phase = NodePhase::Running;
  launcher_.events.push_back(SupervisorReported{status});
  status.revision = 2;
  status.phase = NodePhase::Gone;
  status.ran_ms = 61'900;
  status.stop = StopWhy::RankFailed;
  status.ranks = {{4, RankPhase::Exited, 0, 0, {}}, {5, RankPhase::Exited, 3, 0, {}}};
  launcher_.events.push_back(SupervisorReported{status});
  status.revision = 3;
  status.ranks[0].exit_code = 1;
  launcher_.events.push_back(SupervisorReported{status});
  worker_.run(now_);
  EXPECT_EQ(worker_.take_remarks(),
            std::vector<std::string>{"job=7 attempt=1 has ended ran_s=61 exit_code=3 rank=5 "
                                     "stopped=\"rank failed\""})
      << "logged once";
}

TEST_F(WorkerTest, LogsTheAttemptsThatItFindsAfterARestart) {
  AttemptStatus runs;
  runs.key = an_attempt;
  runs.revision = 4;
  runs.phase = NodePhase::Running;
  AttemptStatus over = runs;
  over.key.attempt = AttemptNumber{2};
  over.phase = NodePhase::Gone;
  over.ranks = {{0, RankPhase::Exited, 0, 9, {}}};
  AttemptStatus refused = over;
  refused.key.attempt = AttemptNumber{3};
  refused.refused = "no such folder";
  launcher_.events = {SupervisorReported{runs}, SupervisorReported{over},
                      SupervisorReported{refused}};
  worker_.run(now_);
  EXPECT_EQ(
      worker_.take_remarks(),
      (std::vector<std::string>{"job=7 attempt=1 goes on under its supervisor",
                                "job=7 attempt=2 has ended ran_s=0 exit_signal=9 rank=0",
                                "job=7 attempt=3 could not be prepared why=\"no such folder\""}));
}

}  // namespace
}  // namespace cox
