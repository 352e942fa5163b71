// Tests the signal that asks the ranks to save, for each reason, and which processes get it.
#include <signal.h>

#include "tests/worker/supervision_story.h"

namespace cox {
namespace {

using Story = SupervisionStory;
using Signals = std::vector<std::int32_t>;

TEST(SupervisionSignals, TheCheckpointSignalGoesOnlyToEachRanksOwnProcess) {
  LaunchSpec launch = gang_launch(1, 2);
  launch.spec.checkpoint_signal = SIGUSR1;
  Story story(launch);
  story.run_ranks().on(StopOrdered{preempt(5'000)});
  story.take<WriteReason>();
  const SignalRanks asked = story.take<SignalRanks>();
  EXPECT_EQ(asked.signals, Signals{SIGUSR1});
  EXPECT_FALSE(asked.whole_group);
  story.take<Publish>();
  story.wait_until(6'000);
  EXPECT_TRUE(story.take<SignalRanks>().whole_group) << "SIGTERM ends all processes";
  story.take<Publish>();
  EXPECT_EQ(story.status().note,
            "the grace of 5 s to save ended before the job did, so it got SIGTERM");
}

TEST(SupervisionSignals, TheRequestedSignalIsSentBeforeTheTimeLimit) {
  LaunchSpec launch = gang_launch(1, 1);
  launch.spec.checkpoint_signal = SIGUSR1;
  launch.spec.signal.number = SIGUSR2;
  for (const StopWhy why : {StopWhy::TimeLimit, StopWhy::Deadline, StopWhy::Preempt}) {
    Story story(launch);
    StopOrder order = preempt(5'000);
    order.why = why;
    story.run_ranks().on(StopOrdered{order});
    story.take<WriteReason>();
    EXPECT_EQ(story.take<SignalRanks>().signals,
              Signals{why == StopWhy::Preempt ? SIGUSR1 : SIGUSR2});
    story.take<Publish>();
  }
}

}  // namespace
}  // namespace cox
