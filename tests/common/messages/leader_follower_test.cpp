// Whom to ask of several controllers: said, answered, and asked again, without sockets.
#include "common/messages/leader_follower.h"

#include <gtest/gtest.h>

namespace cox {
namespace {

Message numbered_beat(std::int64_t number) {
  return Heartbeat{"n1", "a", number, {}};
}
Message acknowledged(std::int64_t number, bool unsure) {
  return HeartbeatAck{Term{1}, "a", number, false, 15'000, unsure};
}
Message not_leader(std::int64_t number) {
  return NotLeader{"another", number};
}

using Asked = std::vector<std::size_t>;

class LeaderFollowerTest : public ::testing::Test {
 protected:
  // All of whom are sent it now.
  Asked say(Message message) {
    if (const auto alone = follower_.say({std::move(message)})) return {*alone};
    return follower_.take_asked();
  }
  Asked hear(std::size_t from, Message message) {
    follower_.take(from, std::move(message), heard_);
    follower_.settle(false, heard_);
    return follower_.take_asked();
  }
  Asked time_passes() {
    follower_.settle(true, heard_);
    return follower_.take_asked();
  }

  LeaderFollower follower_{3, 1};
  std::vector<Message> heard_;
};

TEST_F(LeaderFollowerTest, AsksTheOthersWhenTheFirstDoesNotLead) {
  EXPECT_EQ(say(numbered_beat(1)), Asked{0});
  EXPECT_EQ(hear(0, not_leader(1)), (Asked{1, 2}));
  EXPECT_EQ(hear(1, not_leader(1)), Asked{});
  EXPECT_EQ(hear(2, acknowledged(1, false)), Asked{});
  EXPECT_EQ(heard_.size(), 1U);
  EXPECT_EQ(follower_.pause(), Milliseconds{0});
  EXPECT_EQ(say(numbered_beat(2)), Asked{2}) << "who answered last";
}

TEST_F(LeaderFollowerTest, AsksTheOthersWhenNobodyAnswersAndWhoRefusedAgain) {
  say(numbered_beat(1));
  EXPECT_EQ(time_passes(), (Asked{1, 2}));
  EXPECT_EQ(hear(1, not_leader(1)), Asked{});
  EXPECT_EQ(time_passes(), Asked{1}) << "it may lead by now";
  EXPECT_GE(follower_.pause(), 2 * LeaderFollower::look_around_first);
  EXPECT_LE(follower_.pause(), 4 * LeaderFollower::look_around_first);
}

// A node must not live by the word of a leader that is none.
TEST_F(LeaderFollowerTest, TakesAnUnsureAnswerOnlyWhenAllOthersHaveRefused) {
  say(numbered_beat(1));
  EXPECT_EQ(hear(0, acknowledged(1, true)), (Asked{1, 2}));
  hear(1, not_leader(1));
  EXPECT_TRUE(heard_.empty());
  hear(2, not_leader(1));
  ASSERT_EQ(heard_.size(), 1U);
  EXPECT_FALSE(std::get<HeartbeatAck>(heard_.front()).unsure);
}

// With the database away and one host down, a command says why it must wait.
TEST_F(LeaderFollowerTest, TakesAnUnsureReplyAtLastThoughOneOfTheOthersIsSilent) {
  say(Request{1, ShowCluster{}});
  EXPECT_EQ(hear(0, Reply{1, Refused{{"the database is away", ""}, true}}), (Asked{1, 2}));
  hear(1, not_leader(1));
  Milliseconds waited{0};
  while (heard_.empty() && waited < Milliseconds{10'000}) {
    waited += follower_.pause();
    time_passes();
    hear(1, not_leader(1));
  }
  EXPECT_EQ(heard_.size(), 1U);
  EXPECT_GE(waited, Milliseconds{1'500}) << "who is about to lead takes its time";
  EXPECT_LE(waited, Milliseconds{4'000}) << "a command waits no longer than 10 s";
  EXPECT_EQ(follower_.pause(), Milliseconds{0});
}

TEST_F(LeaderFollowerTest, TakesNoUnsureHeartbeatAckHoweverLongAnotherIsSilent) {
  say(numbered_beat(1));
  hear(0, acknowledged(1, true));
  hear(1, not_leader(1));
  for (int i = 0; i < 100; ++i) time_passes();
  EXPECT_TRUE(heard_.empty());
}

// It goes to nobody else before that, though many a pause is over.
TEST_F(LeaderFollowerTest, AsksAllOthersBeforeItTakesALateUnsureReply) {
  say(Request{7, ActOnJobs{JobVerb::Requeue, {JobId{1}}}});
  for (int i = 0; i < 10; ++i) EXPECT_EQ(time_passes(), Asked{});
  EXPECT_EQ(hear(0, Reply{7, Refused{{"the database is away", ""}, true}}), Asked{});
  EXPECT_EQ(time_passes(), (Asked{1, 2}));
  EXPECT_TRUE(heard_.empty());
  time_passes();
  EXPECT_EQ(heard_.size(), 1U);
}

// Another controller may lead, and carry the request out.
TEST_F(LeaderFollowerTest, ARefusalIsSettledOnceNoOtherControllerOwesAnAnswer) {
  const Reply refusal{1, Refused{{"the database is away", ""}, true}};
  const auto is_unsettled = [&] {
    return cox::is_unsettled(std::get<Refused>(std::get<Reply>(heard_.back()).body));
  };
  say(Request{1, SubmitJob{"r1", {}, "", ""}});
  EXPECT_EQ(hear(0, refusal), (Asked{1, 2}));
  hear(1, not_leader(1));
  hear(2, not_leader(1));
  ASSERT_EQ(heard_.size(), 1U);
  EXPECT_FALSE(is_unsettled());

  say(Request{2, SubmitJob{"r2", {}, "", ""}});
  hear(0, Reply{2, refusal.body});
  hear(1, not_leader(2));
  for (int i = 0; i < 10 && heard_.size() == 1; ++i) time_passes();
  ASSERT_EQ(heard_.size(), 2U);
  EXPECT_TRUE(is_unsettled()) << "the third may do it";
}

TEST_F(LeaderFollowerTest, TakesNoUnrecordedAnswerWhileAnotherMayLead) {
  say(Request{1, ShowCluster{}});
  Reply old{1, ClusterView{}};
  old.as_of = Wall{Milliseconds{1}};
  EXPECT_EQ(hear(0, old), (Asked{1, 2}));
  hear(1, not_leader(1));
  EXPECT_TRUE(heard_.empty());
  hear(2, Reply{1, ClusterView{}});
  ASSERT_EQ(heard_.size(), 1U);
  EXPECT_EQ(std::get<Reply>(heard_.front()).as_of, Wall{});
}

TEST_F(LeaderFollowerTest, TakesNoRefusalOfWhatWasSaidBefore) {
  say(numbered_beat(1));
  say(numbered_beat(2));
  hear(0, acknowledged(2, true));
  hear(1, not_leader(1));
  hear(2, not_leader(2));
  EXPECT_TRUE(heard_.empty());
}

// As a worker's do: each 2 s, and it has a tick of 100 ms.
TEST_F(LeaderFollowerTest, AReportBehindAHeartbeatLeavesTheLookAroundAsItIs) {
  EXPECT_EQ(say(numbered_beat(1)), Asked{0});
  const Milliseconds pause = follower_.pause();
  EXPECT_EQ(say(StatusReport{"n1", {}, "a", 2}), Asked{0}) << "the leader alone";
  EXPECT_EQ(follower_.pause(), pause) << "the timer runs on";
  EXPECT_EQ(time_passes(), (Asked{1, 2}));
  EXPECT_TRUE(std::holds_alternative<Heartbeat>(follower_.said().front()));
  hear(2, acknowledged(1, false));
  EXPECT_EQ(heard_.size(), 1U);
  EXPECT_EQ(say(StatusReport{"n1", {}, "a", 3}), Asked{2});
}

// Heartbeats may come faster than the first pause passes.
TEST_F(LeaderFollowerTest, WhoSaysMoreAndMoreToADeadLeaderLooksAroundAllTheSame) {
  say(numbered_beat(1));
  const Milliseconds pause = follower_.pause();
  EXPECT_EQ(say(numbered_beat(2)), Asked{0});
  EXPECT_EQ(follower_.pause(), pause) << "it goes on";
  EXPECT_EQ(time_passes(), (Asked{1, 2}));
  EXPECT_GT(follower_.pause(), LeaderFollower::look_around_first);
  hear(0, acknowledged(1, false));
  EXPECT_LE(follower_.pause(), LeaderFollower::look_around_first) << "it lives, and is late";
  EXPECT_GT(follower_.pause(), Milliseconds{0});
}

// Who had it may have been ended and started again, and leads now.
TEST_F(LeaderFollowerTest, SaysTheSameAgainToAllThatAreSilent) {
  const Message question = Request{1, ShowCluster{}};
  say(question);
  EXPECT_EQ(time_passes(), (Asked{1, 2}));
  hear(1, not_leader(1));
  const Milliseconds pause = follower_.pause();
  EXPECT_EQ(say(question), (Asked{0, 2}));
  EXPECT_EQ(follower_.pause(), pause) << "it goes on";
  EXPECT_EQ(time_passes(), Asked{1}) << "who refused is asked as before";
  hear(0, Reply{1, ClusterView{}});
  EXPECT_EQ(heard_.size(), 1U);
}

TEST_F(LeaderFollowerTest, SayingTheSameAgainLosesNoUnsureReply) {
  const Message question = Request{1, ShowCluster{}};
  say(question);
  hear(0, Reply{1, Refused{{"the database is away", ""}, true}});
  EXPECT_EQ(say(question), (Asked{1, 2})) << "it has answered";
  hear(1, not_leader(1));
  hear(2, not_leader(1));
  EXPECT_EQ(heard_.size(), 1U);
}

TEST_F(LeaderFollowerTest, AReportDoesNotLoseTheUnsureAnswerToAHeartbeat) {
  say(numbered_beat(1));
  hear(0, acknowledged(1, true));
  hear(1, not_leader(1));
  say(StatusReport{"n1", {}, "a", 2});
  hear(0, not_leader(0));  // of the report
  hear(2, not_leader(1));
  EXPECT_EQ(heard_.size(), 1U);
}

// The last words of a former leader, which holds on to what it has told.
TEST_F(LeaderFollowerTest, WhoSaysWhatBearsNoNumberDoesNotLeadForThat) {
  say(numbered_beat(1));
  EXPECT_EQ(hear(1, StatusAck{}), Asked{});
  EXPECT_EQ(heard_.size(), 1U) << "it is heard";
  EXPECT_EQ(time_passes(), (Asked{1, 2})) << "nobody has answered";
  hear(2, acknowledged(1, false));
  hear(1, Stop{});
  EXPECT_EQ(say(numbered_beat(2)), Asked{2});
}

TEST_F(LeaderFollowerTest, AWelcomeAnswersTheHelloOfItsSession) {
  WorkerHello hello;
  hello.session = "a";
  hello.number = 1;
  say(hello);
  hear(1, Welcome{Term{1}, "c", 0, "before"});
  EXPECT_NE(follower_.pause(), Milliseconds{0});
  hear(2, Welcome{Term{1}, "c", 0, "a"});
  EXPECT_EQ(follower_.pause(), Milliseconds{0});
  EXPECT_EQ(say(numbered_beat(2)), Asked{2});
}

TEST_F(LeaderFollowerTest, GivesWhatMustNotBeDoneTwiceToNobodyElse) {
  EXPECT_EQ(say(Request{7, ActOnJobs{JobVerb::Requeue, {JobId{1}}}}), Asked{0});
  EXPECT_EQ(time_passes(), Asked{}) << "the first may have done it";
  EXPECT_EQ(hear(0, not_leader(7)), Asked{});
  EXPECT_EQ(time_passes(), (Asked{0, 1, 2})) << "it has not";
}

}  // namespace
}  // namespace cox
