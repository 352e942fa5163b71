// Tests the lease of the leader from the view of one controller, without a database.
#include "controller/leader/leader_lease.h"

#include <gtest/gtest.h>

namespace cox {
namespace {

constexpr Milliseconds lease{9'000};
const Boot start = boot_from_ms(100'000);

const LeaderLease::Answer ours{true, "ctl1", "noon"};
const LeaderLease::Answer theirs{false, "ctl2", "one"};

TEST(LeaderLeaseTest, AControllerAsksAtOnceAndForALongerLeaseWhileItLoads) {
  LeaderLease one(lease);
  ASSERT_TRUE(one.is_due(start));
  const auto first = one.ask(start);
  EXPECT_TRUE(first.has_never_led);
  EXPECT_EQ(first.lease, Milliseconds{60'000});
  EXPECT_FALSE(one.has_answer());
  one.answered(ours, start + Milliseconds{5});
  EXPECT_TRUE(one.leads());
  one.set_term(Term{7});
  ASSERT_TRUE(one.is_due(start)) << "its term is sent at once";
  const auto renewal = one.ask(start + Milliseconds{10});
  EXPECT_EQ(renewal.lease, lease);
  EXPECT_EQ(renewal.term, Term{7});
  EXPECT_FALSE(renewal.has_never_led);
  one.answered(ours, start + Milliseconds{12});
  EXPECT_EQ(one.due_in(start + Milliseconds{12}), lease / 3);
}

TEST(LeaderLeaseTest, AControllerThatLoadsAgainStillCountsAsHavingLed) {
  LeaderLease one(lease);
  one.ask(start);
  one.answered(ours, start);
  one.set_term(Term{7});
  one.set_term(Term{});
  EXPECT_FALSE(one.ask(start).has_never_led);
}

TEST(LeaderLeaseTest, ALeaderIsSureForOneLeaseFromItsRequest) {
  LeaderLease one(lease);
  one.ask(start);
  one.answered(ours, start + Milliseconds{3'000});
  EXPECT_TRUE(one.is_sure(start + lease - Milliseconds{1}));
  EXPECT_FALSE(one.is_sure(start + lease))
      << "the lease counts from the request, not from the answer";
  EXPECT_TRUE(one.leads()) << "until an answer says otherwise";
}

TEST(LeaderLeaseTest, AnAnswerOlderThanALeaseIsIgnored) {
  LeaderLease one(lease);
  one.ask(start);
  one.answered(ours, start + lease);
  EXPECT_FALSE(one.leads());
  EXPECT_FALSE(one.has_answer());
  EXPECT_TRUE(one.is_due(start + lease)) << "it asks again";
}

TEST(LeaderLeaseTest, AnAnswerToARequestBeforeADoubtIsIgnored) {
  LeaderLease one(lease);
  one.ask(start);
  one.doubt(start + Milliseconds{1});
  one.answered(ours, start + Milliseconds{2});
  EXPECT_FALSE(one.leads());
  one.ask(start + Milliseconds{3});
  one.answered(ours, start + Milliseconds{4});
  EXPECT_TRUE(one.leads());
}

TEST(LeaderLeaseTest, AStandbyAsksForTheLeaseEvery250Milliseconds) {
  LeaderLease one(lease);
  one.ask(start);
  one.answered(theirs, start);
  EXPECT_TRUE(one.has_answer());
  EXPECT_EQ(one.holder(), "ctl2");
  EXPECT_EQ(one.due_in(start), Milliseconds{250});
}

TEST(LeaderLeaseTest, TheNextRequestIsDueAfterAPauseIfNoAnswerCame) {
  LeaderLease one(lease);
  one.ask(start);
  EXPECT_EQ(one.due_in(start), Milliseconds{250}) << "no answer yet";
  EXPECT_FALSE(one.is_due(start + Milliseconds{249}));
  EXPECT_TRUE(one.is_due(start + Milliseconds{250}));
  EXPECT_EQ(LeaderLease(Milliseconds{100}).pause(), Milliseconds{100}) << "a lease at most";
}

TEST(LeaderLeaseTest, AnAnswerNamesTheLeaderAndSinceWhenItLeads) {
  LeaderLease one(lease);
  one.ask(start);
  EXPECT_TRUE(one.answered(ours, start + lease - Milliseconds{1}));
  EXPECT_EQ(one.holder(), "ctl1");
  EXPECT_EQ(one.since(), "noon");
  one.ask(start + lease);
  EXPECT_TRUE(one.answered(theirs, start + lease));
  EXPECT_EQ(one.since(), "one");
  EXPECT_FALSE(one.leads());
}

TEST(LeaderLeaseTest, ALateAnswerIsIgnoredAndTheNextRequestIsDueAtOnce) {
  LeaderLease one(lease);
  one.ask(start);
  one.answered(ours, start);
  const Boot later = start + lease / 3;
  one.ask(later);
  EXPECT_FALSE(one.answered(theirs, later + lease));
  EXPECT_EQ(one.holder(), "ctl1") << "the answer is ignored";
  EXPECT_EQ(one.due_in(later + lease), Milliseconds{0});
}

TEST(LeaderLeaseTest, ADoubtDiscardsTheHolderAndTheRequestOfThatMoment) {
  LeaderLease one(lease);
  one.ask(start);
  one.answered(ours, start);
  EXPECT_TRUE(one.is_sure(start));
  one.doubt(start + Milliseconds{5});
  EXPECT_FALSE(one.leads());
  EXPECT_FALSE(one.has_answer());
  EXPECT_TRUE(one.is_due(start + Milliseconds{5}));
  one.ask(start + Milliseconds{5});
  EXPECT_FALSE(one.answered(ours, start + Milliseconds{6}))
      << "the request may be older than the doubt";
  one.ask(start + Milliseconds{6});
  EXPECT_TRUE(one.answered(ours, start + Milliseconds{7}));
}

TEST(LeaderLeaseTest, AControllerThatLostTheLeaseCountsAsNeverHavingLed) {
  LeaderLease one(lease);
  one.ask(start);
  one.answered(ours, start);
  one.set_term(Term{7});
  one.ask(start);
  one.answered(ours, start);
  EXPECT_FALSE(one.is_due(start));
  one.set_term(Term{7});
  EXPECT_FALSE(one.is_due(start)) << "the database knows this term";
  one.set_term(Term{});
  EXPECT_FALSE(one.ask(start).has_never_led) << "it loads again";
  one.answered(theirs, start);
  const auto question = one.ask(start);
  EXPECT_TRUE(question.has_never_led) << "another controller led meanwhile";
  EXPECT_EQ(question.term, Term{});
}

TEST(LeaderLeaseTest, ALeaseThatIsLongerThanLoadingIsKeptWhileItLoads) {
  LeaderLease one(Milliseconds{90'000});
  EXPECT_EQ(one.ask(start).lease, Milliseconds{90'000});
}

}  // namespace
}  // namespace cox
