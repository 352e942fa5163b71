// The lease of the leader as one controller sees it, without a database.
#include "controller/leader_lease.h"

#include <gtest/gtest.h>

namespace cox {
namespace {

constexpr Milliseconds lease{9'000};
const Boot start = boot_from_ms(100'000);

const LeaderLease::Answer ours{true, "ctl1", "noon"};
const LeaderLease::Answer theirs{false, "ctl2", "one"};

TEST(LeaderLeaseTest, AsksAtOnceAndForLongerWhileItLoads) {
  LeaderLease one(lease);
  ASSERT_TRUE(one.is_due(start));
  const auto first = one.ask(start);
  EXPECT_TRUE(first.has_never_led);
  EXPECT_EQ(first.lease, Milliseconds{60'000});
  EXPECT_FALSE(one.knows());
  one.answered(ours, start + Milliseconds{5});
  EXPECT_TRUE(one.leads());
  one.set_term(Term{7});
  ASSERT_TRUE(one.is_due(start)) << "its term is told at once";
  const auto renewal = one.ask(start + Milliseconds{10});
  EXPECT_EQ(renewal.lease, lease);
  EXPECT_EQ(renewal.term, Term{7});
  EXPECT_FALSE(renewal.has_never_led);
  one.answered(ours, start + Milliseconds{12});
  EXPECT_EQ(one.due_in(start + Milliseconds{12}), lease / 3);
}

TEST(LeaderLeaseTest, LoadingAgainIsNoFirstTime) {
  LeaderLease one(lease);
  one.ask(start);
  one.answered(ours, start);
  one.set_term(Term{7});
  one.set_term(Term{});
  EXPECT_FALSE(one.ask(start).has_never_led);
}

TEST(LeaderLeaseTest, IsSureForALeaseFromWhenItAsked) {
  LeaderLease one(lease);
  one.ask(start);
  one.answered(ours, start + Milliseconds{3'000});
  EXPECT_TRUE(one.is_sure(start + lease - Milliseconds{1}));
  EXPECT_FALSE(one.is_sure(start + lease)) << "it was asked then, and not when it was answered";
  EXPECT_TRUE(one.leads()) << "until it hears otherwise";
}

TEST(LeaderLeaseTest, AnAnswerThatIsOlderThanALeaseSaysNothing) {
  LeaderLease one(lease);
  one.ask(start);
  one.answered(ours, start + lease);
  EXPECT_FALSE(one.leads());
  EXPECT_FALSE(one.knows());
  EXPECT_TRUE(one.is_due(start + lease)) << "it asks again";
}

TEST(LeaderLeaseTest, NorOneThatWasAskedForBeforeADoubt) {
  LeaderLease one(lease);
  one.ask(start);
  one.doubt(start + Milliseconds{1});
  one.answered(ours, start + Milliseconds{2});
  EXPECT_FALSE(one.leads());
  one.ask(start + Milliseconds{3});
  one.answered(ours, start + Milliseconds{4});
  EXPECT_TRUE(one.leads());
}

TEST(LeaderLeaseTest, WhoStandsByAsksOften) {
  LeaderLease one(lease);
  one.ask(start);
  one.answered(theirs, start);
  EXPECT_TRUE(one.knows());
  EXPECT_EQ(one.holder(), "ctl2");
  EXPECT_EQ(one.due_in(start), Milliseconds{250});
}

}  // namespace
}  // namespace cox
