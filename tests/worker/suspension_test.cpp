// Who stands still, and goes on.
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

}  // namespace
}  // namespace cox
