// A worker by itself: whose words it obeys, and what it says. Its launcher carries nothing out.
#include "tests/worker/worker_story.h"

namespace cox {
namespace {

TEST_F(WorkerTest, ForgetsAnEndThatItsLeaderHasCommitted) {
  welcome(Term{2});
  launch_and_end(Term{2});
  hear(StatusAck{an_attempt, 2, Term{2}});
  EXPECT_TRUE(launcher_.forgotten.empty()) << "the end was not acknowledged";
  hear(StatusAck{an_attempt, 3, Term{2}});
  EXPECT_EQ(launcher_.forgotten, std::vector{an_attempt});
}

// A controller whose database was restored from a backup may have forgotten the job.
TEST_F(WorkerTest, TellsTheHighestJobThatItEverPrepared) {
  welcome(Term{2});
  launch(Term{2}, 1, NodePhase::Running);
  Worker restarted(Node{}, "b", true, launcher_, terms_);
  restarted.tick(now_);
  const auto said = restarted.take_outgoing();
  ASSERT_EQ(said.size(), 1u);
  EXPECT_EQ(std::get<WorkerHello>(said.front()).newest_job, an_attempt.job);
}

TEST_F(WorkerTest, ConfirmsThatACheckpointIsGone) {
  welcome(Term{2});
  launcher_.events.push_back(CheckpointGone{an_attempt, 40});
  worker_.run(now_);
  const auto said = worker_.take_outgoing();
  ASSERT_EQ(said.size(), 1u);
  EXPECT_EQ(std::get<CheckpointRemoved>(said.front()).step, 40);
}

// The answer may have been on its way for long: the leader gives the room away by when it heard us.
TEST_F(WorkerTest, RenewsALeaseFromWhenItAskedAndNotFromTheAnswer) {
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

// It knows nothing of what its successor has launched; whoever leads would take it for lost, and
// run it again.
TEST_F(WorkerTest, KeepsAnEndThatAFormerLeaderTakesForOver) {
  welcome(Term{2});
  launch_and_end(Term{2});
  hear(StatusAck{an_attempt, 3, Term{1}});
  EXPECT_TRUE(launcher_.forgotten.empty());
}

TEST_F(WorkerTest, ForgetsWhatAControllerOfTheVersionBeforeHasCommitted) {
  welcome(Term{2});
  launch_and_end(Term{2});
  hear(StatusAck{an_attempt, 3});
  EXPECT_EQ(launcher_.forgotten, std::vector{an_attempt});
}

// After a restart it would obey who led before.
TEST_F(WorkerTest, ObeysNoTermThatCannotBeKeptAndSaysWhy) {
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
  EXPECT_EQ(worker_.take_remarks().size(), 2U) << "welcomed, and why no more: once";

  terms_.is_full = false;
  const std::vector<Message> anew = hear(Welcome{Term{3}, "c", 2'000, "a"});
  EXPECT_TRUE(worker_.welcomed());
  ASSERT_EQ(anew.size(), 1U);
  EXPECT_EQ(std::get<WorkerHello>(anew[0]).unfit, "");
}

}  // namespace
}  // namespace cox
