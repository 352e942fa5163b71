// Tests how a supervisor suspends and resumes its attempt, and what other events do meanwhile.
#include <signal.h>

#include <algorithm>

#include "tests/worker/supervision_story.h"

namespace cox {
namespace {

using Story = SupervisionStory;

TEST(Supervision, IsSuspendedOnceNothingRunsAndIsResumed) {
  Story story(gang_launch(1, 2));
  story.run_ranks();
  story.ms = 5'000;
  story.on(SuspensionOrdered{{1, true}});
  EXPECT_EQ(story.take<FreezeEverything>().number, 1);
  EXPECT_FALSE(story.status().suspension.suspended) << "a process may still run";
  story.on(Frozen{1});
  story.take<Publish>();
  EXPECT_EQ(story.status().suspension, (Suspension{1, true}));
  EXPECT_EQ(story.status().phase, NodePhase::Running);
  story.on(SuspensionOrdered{{1, true}});  // repeated
  story.ms = 65'000;
  story.on(SuspensionOrdered{{2, false}});
  EXPECT_EQ(story.take<ThawEverything>().suspended_time, Milliseconds{60'000});
  story.take<Publish>();
  EXPECT_EQ(story.status().suspension, (Suspension{2, false}));
  story.on(SuspensionOrdered{{1, true}});  // stale
  story.on(Frozen{1});                     // a stale result
}

TEST(Supervision, SuspendedTimeIsNotRunTime) {
  Story story(gang_launch(1, 1));
  story.run_ranks();
  story.ms = 5'000;
  story.on(SuspensionOrdered{{1, true}}).on(Frozen{1}).skip();
  story.wait_until(65'000);
  EXPECT_EQ(story.status().ran_ms, 4'000);
  story.on(SuspensionOrdered{{2, false}}).skip();
  story.wait_until(70'000);
  EXPECT_EQ(story.status().ran_ms, 9'000);
}

TEST(Supervision, AResumeDuringASuspensionInProgressWins) {
  Story story(gang_launch(1, 1));
  story.run_ranks();
  story.on(SuspensionOrdered{{1, true}}).on(SuspensionOrdered{{2, false}});
  story.take<FreezeEverything>();
  EXPECT_EQ(story.take<ThawEverything>().suspended_time, Milliseconds{0});
  story.take<Publish>();
  story.on(Frozen{1});
  EXPECT_FALSE(story.status().suspension.suspended);
}

TEST(Supervision, ASuspendedAttemptIsResumedBeforeItIsStopped) {
  Story story(gang_launch(1, 1));
  story.run_ranks();
  story.on(SuspensionOrdered{{1, true}}).on(Frozen{1}).skip();
  story.on(StopOrdered{preempt(5'000)});
  EXPECT_EQ(story.take<WriteReason>().why, StopWhy::Preempt);
  story.take<ThawEverything>();
  story.take<SignalRanks>();
  story.take<Publish>();
  story.on(SuspensionOrdered{{3, true}});  // ignored, since the attempt is ending
  EXPECT_EQ(story.status().phase, NodePhase::Stopping);
}

TEST(Supervision, TheLeaseOfASuspendedAttemptEndsToo) {
  LaunchSpec launch = gang_launch(1, 1);
  launch.lease_ms = 10'000;
  Story story(launch);
  story.run_ranks();
  story.on(SuspensionOrdered{{1, true}}).on(Frozen{1}).skip();
  story.wait_until(11'000);
  EXPECT_EQ(story.take<WriteReason>().why, StopWhy::LeaseEnded);
  story.take<ThawEverything>();
  story.skip();
}

TEST(Supervision, ASuspensionBeforeTheOrderToStartHasNoEffect) {
  Story story(gang_launch(1, 1));
  story.on(Begun{}).on(Prepared{29'500}).skip();
  story.on(SuspensionOrdered{{1, true}});
  story.on(GoOrdered{});
  story.take<StartRanks>();
  story.take<Publish>();
  story.on(SuspensionOrdered{{1, true}});  // only the order that follows the Go counts
  story.take<FreezeEverything>();
}

StepOrdered asked(std::int32_t number) {
  StepOrdered step;
  step.launch.number = number;
  step.launch.ranks = {0};
  return step;
}

Story batch_script() {
  LaunchSpec launch = gang_launch(1, 1);
  launch.spec.form = JobForm::Batch;
  return Story(launch);
}

TEST(SuspendedSteps, EndInOrderWhenTheirScriptDies) {
  Story story = batch_script();
  story.run_ranks();
  story.on(asked(0)).skip();
  story.on(SuspensionOrdered{{1, true}}).on(Frozen{1}).skip();
  story.on(asked(1)).skip();
  story.on(RankExited{0, 0, SIGKILL});
  story.take<ThawEverything>();  // only resumed processes can act on the signal to end
  EXPECT_EQ(story.take<EndStep>().number, 0);
  story.take<Publish>();
  EXPECT_EQ(story.status().steps.at(1).phase, StepPhase::Gone) << "it never started";
  EXPECT_EQ(story.status().steps.at(1).note, "its job is ending");
  story.on(SuspensionOrdered{{2, true}}).on(SuspensionOrdered{{3, false}});
  EXPECT_TRUE(story.actions.empty()) << "an attempt that is ending is not suspended";
  StepReported gone;
  gone.status.number = 0;
  gone.status.phase = StepPhase::Gone;
  story.on(gone);
  story.take<Publish>();
  story.on(gone);  // srun has received everything
  story.take<KillEverything>();
}

TEST(SuspendedSteps, AStepThatHasNotStartedDoesNotDelayTheEndOfTheScript) {
  Story story = batch_script();
  story.run_ranks();
  story.on(SuspensionOrdered{{1, true}}).on(Frozen{1}).skip();
  story.on(asked(0)).skip();
  story.on(RankExited{0, 0, SIGKILL});
  story.take<KillEverything>();
  story.take<Publish>();
  EXPECT_EQ(story.status().steps.at(0).phase, StepPhase::Gone);
}

TEST(SuspendedSteps, AStepThatHasNotStartedDoesNotStartInAStoppedJob) {
  Story story = batch_script();
  story.run_ranks();
  story.on(SuspensionOrdered{{1, true}}).on(Frozen{1}).skip();
  story.on(asked(0)).skip();
  story.on(StopOrdered{cancel()});
  const auto begins = [](const Action& action) {
    return std::holds_alternative<BeginStep>(action);
  };
  EXPECT_TRUE(std::ranges::none_of(story.actions, begins));
  story.skip();
  EXPECT_EQ(story.status().steps.at(0).phase, StepPhase::Gone);
}

}  // namespace
}  // namespace cox
