// Tests to which of several controllers a client sends a message, and when it repeats the message,
// without sockets.
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
  // Sends the message. Returns the numbers of the controllers to which it goes at once.
  Asked say(Message message) {
    if (const auto alone = follower_.submit({std::move(message)})) return {*alone};
    return follower_.take_recipients();
  }
  Asked hear(std::size_t from, Message message) {
    follower_.take(from, std::move(message), accepted_);
    follower_.settle(false, accepted_);
    return follower_.take_recipients();
  }
  Asked time_passes() {
    follower_.settle(true, accepted_);
    return follower_.take_recipients();
  }

  LeaderFollower follower_{3, 1};
  std::vector<Message> accepted_;
};

TEST_F(LeaderFollowerTest, AsksTheOtherControllersIfTheFirstDoesNotLead) {
  EXPECT_EQ(say(numbered_beat(1)), Asked{0});
  EXPECT_EQ(hear(0, not_leader(1)), (Asked{1, 2}));
  EXPECT_EQ(hear(1, not_leader(1)), Asked{});
  EXPECT_EQ(hear(2, acknowledged(1, false)), Asked{});
  EXPECT_EQ(accepted_.size(), 1U);
  EXPECT_EQ(follower_.pause(), Milliseconds{0});
  EXPECT_EQ(say(numbered_beat(2)), Asked{2}) << "the controller that answered last";
}

TEST_F(LeaderFollowerTest, AsksTheOtherControllersIfTheFirstIsSilentAndRepeatsAfterARefusal) {
  say(numbered_beat(1));
  EXPECT_EQ(time_passes(), (Asked{1, 2}));
  EXPECT_EQ(hear(1, not_leader(1)), Asked{});
  EXPECT_EQ(time_passes(), Asked{1}) << "it may lead meanwhile";
  EXPECT_GE(follower_.pause(), 2 * LeaderFollower::first_pause);
  EXPECT_LE(follower_.pause(), 4 * LeaderFollower::first_pause);
}

// A node must not take an acknowledgement from a controller that may no longer lead, so all others
// must say first that they do not lead.
TEST_F(LeaderFollowerTest, AcceptsAnUnsureAnswerOnlyIfAllOtherControllersHaveRefused) {
  say(numbered_beat(1));
  EXPECT_EQ(hear(0, acknowledged(1, true)), (Asked{1, 2}));
  hear(1, not_leader(1));
  EXPECT_TRUE(accepted_.empty());
  hear(2, not_leader(1));
  ASSERT_EQ(accepted_.size(), 1U);
  EXPECT_FALSE(std::get<HeartbeatAck>(accepted_.front()).unsure);
}

// If the database is away and one host is down, a command still gets the unsure reply of the
// leader, and can show why it waits.
TEST_F(LeaderFollowerTest, AcceptsAnUnsureReplyInTheEndThoughAnotherControllerIsSilent) {
  say(Request{1, ShowCluster{}});
  EXPECT_EQ(hear(0, Reply{1, Refused{{"the database is away", ""}, true}}), (Asked{1, 2}));
  hear(1, not_leader(1));
  Milliseconds waited{0};
  while (accepted_.empty() && waited < Milliseconds{10'000}) {
    waited += follower_.pause();
    time_passes();
    hear(1, not_leader(1));
  }
  EXPECT_EQ(accepted_.size(), 1U);
  EXPECT_GE(waited, Milliseconds{1'500}) << "a controller that is about to lead needs time";
  EXPECT_LE(waited, Milliseconds{4'000}) << "a command waits at most 10 s";
  EXPECT_EQ(follower_.pause(), Milliseconds{0});
}

TEST_F(LeaderFollowerTest, AcceptsNoUnsureHeartbeatAckWhileAnotherControllerIsSilent) {
  say(numbered_beat(1));
  hear(0, acknowledged(1, true));
  hear(1, not_leader(1));
  for (int i = 0; i < 100; ++i) time_passes();
  EXPECT_TRUE(accepted_.empty());
}

// Until the late reply arrives, the request goes to no other controller, however much time passes.
TEST_F(LeaderFollowerTest, AsksAllOtherControllersBeforeItAcceptsALateUnsureReply) {
  say(Request{7, ActOnJobs{JobVerb::Requeue, {JobId{1}}}});
  for (int i = 0; i < 10; ++i) EXPECT_EQ(time_passes(), Asked{});
  EXPECT_EQ(hear(0, Reply{7, Refused{{"the database is away", ""}, true}}), Asked{});
  EXPECT_EQ(time_passes(), (Asked{1, 2}));
  EXPECT_TRUE(accepted_.empty());
  time_passes();
  EXPECT_EQ(accepted_.size(), 1U);
}

// A refusal is not final while another controller may have received the request, since that
// controller may lead and carry it out.
TEST_F(LeaderFollowerTest, ARefusalIsFinalIfNoOtherControllerCanHaveTheRequest) {
  const Reply refusal{1, Refused{{"the database is away", ""}, true}};
  const auto has_unknown_outcome = [&] {
    return cox::has_unknown_outcome(std::get<Refused>(std::get<Reply>(accepted_.back()).body));
  };
  say(Request{1, SubmitJob{"r1", {}, "", ""}});
  EXPECT_EQ(hear(0, refusal), (Asked{1, 2}));
  hear(1, not_leader(1));
  hear(2, not_leader(1));
  ASSERT_EQ(accepted_.size(), 1U);
  EXPECT_FALSE(has_unknown_outcome());

  say(Request{2, SubmitJob{"r2", {}, "", ""}});
  hear(0, Reply{2, refusal.body});
  hear(1, not_leader(2));
  for (int i = 0; i < 10 && accepted_.size() == 1; ++i) time_passes();
  ASSERT_EQ(accepted_.size(), 2U);
  EXPECT_TRUE(has_unknown_outcome()) << "the third controller may carry it out";
}

TEST_F(LeaderFollowerTest, AcceptsNoReplyFromOldDataWhileAnotherControllerMayLead) {
  say(Request{1, ShowCluster{}});
  Reply old{1, ClusterView{}};
  old.as_of = Wall{Milliseconds{1}};
  EXPECT_EQ(hear(0, old), (Asked{1, 2}));
  hear(1, not_leader(1));
  EXPECT_TRUE(accepted_.empty());
  hear(2, Reply{1, ClusterView{}});
  ASSERT_EQ(accepted_.size(), 1U);
  EXPECT_EQ(std::get<Reply>(accepted_.front()).as_of, Wall{});
}

TEST_F(LeaderFollowerTest, IgnoresRefusalsOfEarlierMessages) {
  say(numbered_beat(1));
  say(numbered_beat(2));
  hear(0, acknowledged(2, true));
  hear(1, not_leader(1));
  hear(2, not_leader(2));
  EXPECT_TRUE(accepted_.empty());
}

// A worker sends a heartbeat every 2 s, and reports of attempts at its ticks of 100 ms. These must
// not postpone the retry of the heartbeat.
TEST_F(LeaderFollowerTest, AReportAfterAHeartbeatDoesNotRestartThePause) {
  EXPECT_EQ(say(numbered_beat(1)), Asked{0});
  const Milliseconds pause = follower_.pause();
  EXPECT_EQ(say(StatusReport{"n1", {}, "a", 2}), Asked{0}) << "only the leader";
  EXPECT_EQ(follower_.pause(), pause) << "the timer continues";
  EXPECT_EQ(time_passes(), (Asked{1, 2}));
  EXPECT_TRUE(std::holds_alternative<Heartbeat>(follower_.pending().front()));
  hear(2, acknowledged(1, false));
  EXPECT_EQ(accepted_.size(), 1U);
  EXPECT_EQ(say(StatusReport{"n1", {}, "a", 3}), Asked{2});
}

// Heartbeats may follow each other faster than the first pause between retries ends.
TEST_F(LeaderFollowerTest, FrequentMessagesToADeadLeaderDoNotDelayAskingTheOtherControllers) {
  say(numbered_beat(1));
  const Milliseconds pause = follower_.pause();
  EXPECT_EQ(say(numbered_beat(2)), Asked{0});
  EXPECT_EQ(follower_.pause(), pause) << "the timer continues";
  EXPECT_EQ(time_passes(), (Asked{1, 2}));
  EXPECT_GT(follower_.pause(), LeaderFollower::first_pause);
  hear(0, acknowledged(1, false));
  EXPECT_LE(follower_.pause(), LeaderFollower::first_pause) << "the leader has answered late";
  EXPECT_GT(follower_.pause(), Milliseconds{0});
}

// A silent controller that already got the message may have been restarted since, and may lead now.
TEST_F(LeaderFollowerTest, RepeatsAMessageToAllSilentControllers) {
  const Message question = Request{1, ShowCluster{}};
  say(question);
  EXPECT_EQ(time_passes(), (Asked{1, 2}));
  hear(1, not_leader(1));
  const Milliseconds pause = follower_.pause();
  EXPECT_EQ(say(question), (Asked{0, 2}));
  EXPECT_EQ(follower_.pause(), pause) << "the timer continues";
  EXPECT_EQ(time_passes(), Asked{1}) << "the controller that refused is asked at its time";
  hear(0, Reply{1, ClusterView{}});
  EXPECT_EQ(accepted_.size(), 1U);
}

TEST_F(LeaderFollowerTest, ARepeatedMessageKeepsAnUnsureReply) {
  const Message question = Request{1, ShowCluster{}};
  say(question);
  hear(0, Reply{1, Refused{{"the database is away", ""}, true}});
  EXPECT_EQ(say(question), (Asked{1, 2})) << "controller 0 has answered";
  hear(1, not_leader(1));
  hear(2, not_leader(1));
  EXPECT_EQ(accepted_.size(), 1U);
}

TEST_F(LeaderFollowerTest, AReportKeepsTheUnsureAnswerToAHeartbeat) {
  say(numbered_beat(1));
  hear(0, acknowledged(1, true));
  hear(1, not_leader(1));
  say(StatusReport{"n1", {}, "a", 2});
  hear(0, not_leader(0));  // refuses the report
  hear(2, not_leader(1));
  EXPECT_EQ(accepted_.size(), 1U);
}

// A former leader may still send messages that answer no numbered request.
TEST_F(LeaderFollowerTest, AMessageWithoutANumberDoesNotMakeItsSenderTheLeader) {
  say(numbered_beat(1));
  EXPECT_EQ(hear(1, StatusAck{}), Asked{});
  EXPECT_EQ(accepted_.size(), 1U) << "the message is accepted";
  EXPECT_EQ(time_passes(), (Asked{1, 2})) << "no controller has answered";
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

TEST_F(LeaderFollowerTest, ARequestThatMustNotRunTwiceGoesToOneControllerOnly) {
  EXPECT_EQ(say(Request{7, ActOnJobs{JobVerb::Requeue, {JobId{1}}}}), Asked{0});
  EXPECT_EQ(time_passes(), Asked{}) << "the first controller may have carried it out";
  EXPECT_EQ(hear(0, not_leader(7)), Asked{});
  EXPECT_EQ(time_passes(), (Asked{0, 1, 2})) << "the first controller has not carried it out";
}

}  // namespace
}  // namespace cox
