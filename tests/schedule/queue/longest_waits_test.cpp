#include "schedule/queue/longest_waits.h"

#include <gtest/gtest.h>

#include "schedule/queue/order.h"

namespace cox::schedule {
namespace {

using std::chrono::hours;
using std::chrono::minutes;

constexpr Standing usual{0, 1};
constexpr Wall noon{hours{12}};

TEST(LongestWaits, forget_a_wait_of_an_hour_after_ten_hours_if_the_memory_is_ten) {
  LongestWaits waits(10);
  EXPECT_EQ(waits.of(usual, noon), Milliseconds{0});
  waits.learn(usual, noon, hours{1});
  EXPECT_EQ(waits.of(usual, noon), hours{1});
  EXPECT_EQ(waits.of(usual, noon + hours{5}), minutes{30});
  EXPECT_EQ(waits.of(usual, noon + hours{10}), Milliseconds{0});
  EXPECT_EQ(waits.of(usual, noon + hours{99}), Milliseconds{0});
  EXPECT_EQ(waits.of({0, 2}, noon), Milliseconds{0}) << "another tier";
}

TEST(LongestWaits, are_the_same_in_whatever_order_and_however_often_they_are_learnt) {
  LongestWaits one(10), other(10);
  one.learn(usual, noon, hours{1});
  one.learn(usual, noon + hours{4}, minutes{20});
  other.learn(usual, noon + hours{4}, minutes{20});
  other.learn(usual, noon, hours{1});
  other.learn(usual, noon, hours{1});
  for (int hour = 4; hour < 12; ++hour)
    EXPECT_EQ(one.of(usual, noon + hours{hour}), other.of(usual, noon + hours{hour}));
  LongestWaits restored(10);
  restored.restore(one.all());
  EXPECT_EQ(restored.of(usual, noon + hours{4}), one.of(usual, noon + hours{4}));
  other.learn(usual, noon + hours{4}, hours{-1});  // its clock was set back
  EXPECT_EQ(one.of(usual, noon + hours{4}), other.of(usual, noon + hours{4}));
}

TEST(MaxAge, is_the_longest_wait_rounded_down_and_within_its_bounds) {
  PriorityWeights weights;
  weights.max_age_min = minutes{10};
  weights.max_age = hours{100};
  EXPECT_EQ(max_age_of(weights, Milliseconds{0}), minutes{10});
  EXPECT_EQ(max_age_of(weights, hours{200}), hours{100});
  Milliseconds before = max_age_of(weights, minutes{20});
  int changes = 0;
  for (Milliseconds longest = minutes{20}; longest <= minutes{40}; longest += minutes{1}) {
    const Milliseconds age = max_age_of(weights, longest);
    EXPECT_LE(age, longest);
    EXPECT_GT(age.count(), longest.count() * 84 / 100);
    EXPECT_GE(age, before);
    changes += age == before ? 0 : 1;
    before = age;
  }
  EXPECT_EQ(changes, 4) << "each doubling has four steps";
  weights.max_age = minutes{5};
  EXPECT_EQ(max_age_of(weights, hours{101}), minutes{5}) << "max_age is the upper bound";
}

}  // namespace
}  // namespace cox::schedule
