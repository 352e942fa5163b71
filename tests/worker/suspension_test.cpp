// Who stands still, and goes on.
#include <signal.h>

#include <algorithm>

#include "tests/worker/supervision_story.h"

namespace cox {
namespace {

using Story = SupervisionStory;

TEST(Supervision, StandsStillOnceNothingRunsAndGoesOn) {
  Story story(gang_launch(1, 2));
  story.run_ranks();
  story.ms = 5'000;
  story.on(SuspendAsked{{1, true}});
  EXPECT_EQ(story.take<FreezeEverything>().number, 1);
  EXPECT_FALSE(story.status().suspension.suspended) << "something may run yet";
  story.on(Frozen{1});
  story.take<Publish>();
  EXPECT_EQ(story.status().suspension, (Suspension{1, true}));
  EXPECT_EQ(story.status().phase, NodePhase::Running);
  story.on(SuspendAsked{{1, true}});  // repeated
  story.ms = 65'000;
  story.on(SuspendAsked{{2, false}});
  EXPECT_EQ(story.take<ThawEverything>().stood, Milliseconds{60'000});
  story.take<Publish>();
  EXPECT_EQ(story.status().suspension, (Suspension{2, false}));
  story.on(SuspendAsked{{1, true}});  // overtaken
  story.on(Frozen{1});                // and so was what it led to
}

TEST(Supervision, TheTimeItStandsStillIsNoRunTime) {
  Story story(gang_launch(1, 1));
  story.run_ranks();
  story.ms = 5'000;
  story.on(SuspendAsked{{1, true}}).on(Frozen{1}).skip();
  story.wait_until(65'000);
  EXPECT_EQ(story.status().ran_ms, 4'000);
  story.on(SuspendAsked{{2, false}}).skip();
  story.wait_until(70'000);
  EXPECT_EQ(story.status().ran_ms, 9'000);
}

TEST(Supervision, AnOrderToGoOnThatComesWhileItIsStoppedWins) {
  Story story(gang_launch(1, 1));
  story.run_ranks();
  story.on(SuspendAsked{{1, true}}).on(SuspendAsked{{2, false}});
  story.take<FreezeEverything>();
  EXPECT_EQ(story.take<ThawEverything>().stood, Milliseconds{0});
  story.take<Publish>();
  story.on(Frozen{1});
  EXPECT_FALSE(story.status().suspension.suspended);
}

TEST(Supervision, WhatIsStoppedGoesOnFirst) {
  Story story(gang_launch(1, 1));
  story.run_ranks();
  story.on(SuspendAsked{{1, true}}).on(Frozen{1}).skip();
  story.on(StopAsked{preempt(5'000)});
  EXPECT_EQ(story.take<WriteReason>().why, StopWhy::Preempt);
  story.take<ThawEverything>();
  story.take<SignalRanks>();
  story.take<Publish>();
  story.on(SuspendAsked{{3, true}});  // it is to end
  EXPECT_EQ(story.status().phase, NodePhase::Stopping);
}

TEST(Supervision, TheLeaseOfWhatStandsStillEndsAsAnyOther) {
  LaunchSpec launch = gang_launch(1, 1);
  launch.lease_ms = 10'000;
  Story story(launch);
  story.run_ranks();
  story.on(SuspendAsked{{1, true}}).on(Frozen{1}).skip();
  story.wait_until(11'000);
  EXPECT_EQ(story.take<WriteReason>().why, StopWhy::LeaseEnded);
  story.take<ThawEverything>();
  story.skip();
}

TEST(Supervision, BeforeTheGoNothingIsThereToStandStill) {
  Story story(gang_launch(1, 1));
  story.on(Begun{}).on(Prepared{29'500}).skip();
  story.on(SuspendAsked{{1, true}});
  story.on(GoAsked{});
  story.take<StartRanks>();
  story.take<Publish>();
  story.on(SuspendAsked{{1, true}});  // reminded
  story.take<FreezeEverything>();
}

StepAsked asked(std::int32_t number) {
  StepAsked step;
  step.launch.number = number;
  step.launch.ranks = {0};
  return step;
}

Story batch_script() {
  LaunchSpec launch = gang_launch(1, 1);
  launch.spec.form = JobForm::Batch;
  return Story(launch);
}

TEST(SuspendedSteps, TheyEndInOrderWhenItsScriptDies) {
  Story story = batch_script();
  story.run_ranks();
  story.on(asked(0)).skip();
  story.on(SuspendAsked{{1, true}}).on(Frozen{1}).skip();
  story.on(asked(1)).skip();
  story.on(RankExited{0, 0, SIGKILL});
  story.take<ThawEverything>();  // what is stopped does not act on a signal
  EXPECT_EQ(story.take<EndStep>().number, 0);
  story.take<Publish>();
  EXPECT_EQ(story.status().steps.at(1).phase, StepPhase::Gone) << "it never began";
  EXPECT_EQ(story.status().steps.at(1).note, "its job is ending");
  story.on(SuspendAsked{{2, true}}).on(SuspendAsked{{3, false}});
  EXPECT_TRUE(story.actions.empty()) << "what is to end runs for that";
  StepSaid gone;
  gone.status.number = 0;
  gone.status.phase = StepPhase::Gone;
  story.on(gone);
  story.take<KillEverything>();
  story.skip();
}

TEST(SuspendedSteps, OneThatWasHeldDoesNotDelayTheEndOfTheScript) {
  Story story = batch_script();
  story.run_ranks();
  story.on(SuspendAsked{{1, true}}).on(Frozen{1}).skip();
  story.on(asked(0)).skip();
  story.on(RankExited{0, 0, SIGKILL});
  story.take<KillEverything>();
  story.take<Publish>();
  EXPECT_EQ(story.status().steps.at(0).phase, StepPhase::Gone);
}

TEST(SuspendedSteps, OneThatWasHeldDoesNotBeginInAJobThatIsStopped) {
  Story story = batch_script();
  story.run_ranks();
  story.on(SuspendAsked{{1, true}}).on(Frozen{1}).skip();
  story.on(asked(0)).skip();
  story.on(StopAsked{cancel()});
  const auto begins = [](const Action& action) {
    return std::holds_alternative<BeginStep>(action);
  };
  EXPECT_TRUE(std::ranges::none_of(story.actions, begins));
  story.skip();
  EXPECT_EQ(story.status().steps.at(0).phase, StepPhase::Gone);
}

}  // namespace
}  // namespace cox
