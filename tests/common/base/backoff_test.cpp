// Tests the delays between retries: they double up to a bound, and are random, so that clients do
// not retry all at once.
#include "common/base/backoff.h"

#include <gtest/gtest.h>

#include <set>

namespace cox {
namespace {

TEST(Backoff, DoublesUpToItsBoundAndWaitsAtLeastHalf) {
  Backoff backoff(Milliseconds{100}, Milliseconds{5'000}, 1);
  for (const int whole : {100, 200, 400, 800, 1'600, 3'200, 5'000, 5'000}) {
    const auto wait = backoff.failed().count();
    EXPECT_GE(wait, whole / 2);
    EXPECT_LE(wait, whole);
  }
}

TEST(Backoff, ASuccessResetsTheDelay) {
  Backoff backoff(Milliseconds{100}, Milliseconds{5'000}, 2);
  for (int i = 0; i < 5; ++i) backoff.failed(boot_from_ms(1'000));
  EXPECT_FALSE(backoff.is_due(boot_from_ms(1'000)));
  EXPECT_TRUE(backoff.is_due(backoff.retry_at()));
  backoff.succeeded();
  EXPECT_TRUE(backoff.is_due(boot_from_ms(0)));
  EXPECT_LE(backoff.failed(), Milliseconds{100});
}

TEST(Backoff, AThousandClientsThatFailTogetherRetryAtDifferentTimes) {
  std::set<std::int64_t> moments;
  for (int i = 0; i < 1'000; ++i) {
    Backoff one(Milliseconds{4'000}, Milliseconds{8'000},
                seed_from("session-" + std::to_string(i)));
    moments.insert(one.failed().count());
  }
  EXPECT_GT(moments.size(), 700u) << "of 2001 possible delays";
  EXPECT_LT(*moments.begin(), 2'100);
  EXPECT_GT(*moments.rbegin(), 3'900);
}

TEST(Backoff, TheSameSeedGivesTheSameDelays) {
  Backoff a(Milliseconds{100}, Milliseconds{5'000}, 7), b = a;
  for (int i = 0; i < 10; ++i) EXPECT_EQ(a.failed(), b.failed());
}

}  // namespace
}  // namespace cox
