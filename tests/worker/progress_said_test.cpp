// Tests the progress that ranks report to their supervisor. The supervisor passes on the newest
// report, at most every 15 s.
#include <gtest/gtest.h>

#include "common/base/limits.h"
#include "tests/worker/supervision_story.h"

namespace cox {
namespace {

ProgressReported step(std::int64_t number) {
  ProgressReported said;
  said.progress.step = number;
  said.progress.total = 100;
  return said;
}

TEST(ProgressOfRanks, TheFirstStepIsReportedAtOnceAndLaterStepsAtIntervals) {
  SupervisionStory story(gang_launch(1, 1));
  story.run_ranks().on(step(1));
  story.take<Publish>();
  EXPECT_EQ(story.status().progress.step, 1);
  EXPECT_EQ(story.status().progress.at, story.now().wall);
  const Boot reported_at = story.now().boot;
  story.on(step(2)).on(step(3));  // not reported yet
  EXPECT_EQ(story.status().progress.step, 1);
  ASSERT_TRUE(story.supervision.wakeup());
  EXPECT_EQ(*story.supervision.wakeup(), reported_at + Milliseconds{limits::progress_every_ms});
  story.wait_until(to_ms(reported_at) + limits::progress_every_ms - 1);
  EXPECT_TRUE(story.actions.empty());
  story.wait_until(to_ms(reported_at) + limits::progress_every_ms);
  story.take<Publish>();
  EXPECT_EQ(story.status().progress.step, 3);
  EXPECT_EQ(story.status().progress.first_step, 1);
}

TEST(ProgressOfRanks, TheLastStepIsReportedWithTheEnd) {
  SupervisionStory story(gang_launch(1, 1));
  story.run_ranks().on(step(99)).on(step(100)).skip();
  story.on(RankExited{0, 0, 0}).skip();
  EXPECT_EQ(story.status().progress.step, 100);
}

TEST(ProgressOfRanks, TheLastStepSaysThatTheJobIsFinishedUntilALaterSaveOrReport) {
  LaunchSpec launch = gang_launch(1, 1);
  launch.job_checkpoint_dir = "/checkpoints/17";
  SupervisionStory story(launch);
  story.run_ranks();
  const auto report = [&](std::int64_t number) {
    story.on(step(number)).skip();
    story.wait_until(to_ms(story.now().boot) + limits::progress_every_ms).skip();
    return story.status().finished;
  };
  EXPECT_FALSE(report(99));
  EXPECT_TRUE(report(100));
  story.on(SaveRequested{{-1, 0}, 140, 1});
  story.on(Sealed{story.take<Seal>().number, SavedStep{140, 10, 1}, {}}).skip();
  EXPECT_FALSE(story.status().finished) << "only an epoch has ended";
  EXPECT_TRUE(report(100));
  EXPECT_FALSE(report(1));
}

TEST(ProgressOfRanks, IsIgnoredBeforeTheRanksRunAndIfOutOfRange) {
  SupervisionStory story(gang_launch(1, 1));
  story.on(Begun{}).on(Prepared{29'500}).skip();
  story.on(step(1));
  EXPECT_EQ(story.status().progress, Progress{});
  SupervisionStory running(gang_launch(1, 1));
  running.run_ranks().on(step(-1));
  EXPECT_EQ(running.status().progress, Progress{});
}

}  // namespace
}  // namespace cox
