// Tests the times at which a supervisor must act although no event arrives.
#include <gtest/gtest.h>

#include <optional>

#include "tests/worker/supervision_story.h"

namespace cox {
namespace {

LaunchSpec with_lease(std::int64_t lease_ms) {
  LaunchSpec launch = gang_launch(1, 1);
  launch.lease_ms = lease_ms;
  launch.lease_grace_ms = 5'000;
  return launch;
}

// Returns the next time at which the supervisor must act, in ms of the story's clock, which begins
// at 1,000 ms.
std::optional<std::int64_t> wakes_at(SupervisionStory& story) {
  story.skip();
  const std::optional<Boot> at = story.supervision.wakeup();
  return at ? std::optional(to_ms(*at)) : std::nullopt;
}

TEST(SupervisionWakeup, IsTheNextPhaseOfAStopOrTheEndOfTheLease) {
  SupervisionStory story(with_lease(60'000));
  EXPECT_EQ(wakes_at(story), 61'000);
  story.run_ranks().on(LeaseRenewed{boot_from_ms(70'000)}).on(LeaseRenewed{boot_from_ms(50'000)});
  EXPECT_EQ(wakes_at(story), 70'000);
  story.on(StopOrdered{preempt(10'000)});
  EXPECT_EQ(wakes_at(story), 11'000) << "SIGTERM is due";
  story.wait_until(10'999);
  EXPECT_EQ(wakes_at(story), 11'000);
  story.wait_until(11'000);
  EXPECT_EQ(wakes_at(story), 12'000) << "SIGKILL is due";
  story.wait_until(12'000);
  EXPECT_EQ(wakes_at(story), 70'000);
  story.on(RankExited{0, 0, 9}).on(Emptied{});
  EXPECT_EQ(story.status().phase, NodePhase::Gone);
  EXPECT_EQ(wakes_at(story), std::nullopt);
}

TEST(SupervisionWakeup, DoesNotHappenIfTheLeaseNeverEnds) {
  SupervisionStory story(with_lease(0));
  story.run_ranks();
  EXPECT_EQ(wakes_at(story), std::nullopt);
  story.wait_until(1'000'000'000);
  EXPECT_EQ(story.status().stop, StopWhy::None);
  EXPECT_EQ(wakes_at(story), std::nullopt);
}

TEST(SupervisionWakeup, CountsTheGraceFromTheEndOfTheLeaseHoweverLateItRuns) {
  SupervisionStory story(with_lease(60'000));
  story.run_ranks().wait_until(60'999);
  EXPECT_EQ(story.status().stop, StopWhy::None);
  story.wait_until(64'000);
  EXPECT_EQ(story.status().stop, StopWhy::LeaseEnded);
  EXPECT_EQ(wakes_at(story), 66'000) << "5 s after the end of the lease";
  story.wait_until(66'000);
  EXPECT_EQ(wakes_at(story), 67'000);
  story.wait_until(67'000);
  EXPECT_EQ(wakes_at(story), std::nullopt);
}

}  // namespace
}  // namespace cox
