// The prolog and the epilog of the node, around everything else that a supervision does.
#include <gtest/gtest.h>

#include "tests/worker/supervision_story.h"

namespace cox {
namespace {

LaunchSpec with_programs(LaunchSpec launch, const std::string& prolog, const std::string& epilog) {
  launch.site.prolog = prolog;
  launch.site.epilog = epilog;
  return launch;
}

const std::string failure = "Prolog error: exit code 3: no such mount";

TEST(SupervisionPrograms, ThePrologRunsBeforeAnythingIsPrepared) {
  SupervisionStory story(with_programs(gang_launch(1, 1), "/p", ""));
  story.on(Begun{});
  story.take<Publish>();
  EXPECT_EQ(story.take<RunNodeProgram>().which, NodeProgram::Prolog);
  story.on(GoAsked{});  // too early
  story.on(NodeProgramEnded{});
  story.take<PrepareNode>();
  story.on(Prepared{29'500});
  story.take<Publish>();
  EXPECT_EQ(story.status().phase, NodePhase::Ready);
}

TEST(SupervisionPrograms, AFailedPrologRefusesTheLaunchAndTheEpilogFollows) {
  SupervisionStory story(with_programs(gang_launch(1, 1), "/p", "/e"));
  story.on(Begun{}).skip();
  story.on(NodeProgramEnded{failure});
  story.take<AbandonFileWork>();
  EXPECT_EQ(story.take<RunNodeProgram>().which, NodeProgram::Epilog);
  story.take<Publish>();
  EXPECT_EQ(story.status().site_error, failure) << "told at once: the node is drained";
  EXPECT_EQ(story.status().refused, "") << "and this with the end, when the node is empty";
  EXPECT_EQ(story.status().phase, NodePhase::Preparing);
  story.on(NodeProgramEnded{});
  story.take<Publish>();
  story.take<Finish>();
  EXPECT_EQ(story.status().phase, NodePhase::Gone);
  EXPECT_EQ(story.status().refused, failure);
  EXPECT_TRUE(story.status().node_at_fault);
}

TEST(SupervisionPrograms, AStopWaitsForThePrologAndNothingIsPrepared) {
  SupervisionStory story(with_programs(gang_launch(2, 1), "/p", "/e"));
  story.on(Begun{}).skip();
  story.on(StopAsked{cancel()});
  story.take<AbandonFileWork>();
  story.take<Publish>();
  EXPECT_EQ(story.status().phase, NodePhase::Preparing);
  story.on(StopAsked{cancel()});  // repeated
  story.on(NodeProgramEnded{});
  EXPECT_EQ(story.take<RunNodeProgram>().which, NodeProgram::Epilog);
  story.on(GoAsked{});  // it was on its way
  story.on(NodeProgramEnded{});
  story.take<Publish>();
  story.take<Finish>();
  EXPECT_EQ(story.status().phase, NodePhase::Gone);
  EXPECT_EQ(story.status().refused, "");
}

TEST(SupervisionPrograms, APrologThatFailsWhileItIsStoppedDrainsTheNodeAllTheSame) {
  SupervisionStory story(with_programs(gang_launch(1, 1), "/p", ""));
  story.on(Begun{}).on(StopAsked{cancel()}).skip();
  story.on(NodeProgramEnded{failure}).skip();
  EXPECT_EQ(story.status().phase, NodePhase::Gone);
  EXPECT_EQ(story.status().site_error, failure);
  EXPECT_EQ(story.status().refused, "") << "it was not the prolog that ended it";
}

TEST(SupervisionPrograms, TheEpilogRunsWhenNothingIsLeftAndBeforeTheEndIsTold) {
  SupervisionStory story(with_programs(gang_launch(1, 1), "", "/e"));
  story.run_ranks();
  story.on(RankExited{0, 3, 0, false}).skip();
  story.on(Emptied{});
  story.take<AbandonFileWork>();
  EXPECT_EQ(story.take<RunNodeProgram>().which, NodeProgram::Epilog);
  EXPECT_NE(story.status().phase, NodePhase::Gone);
  story.on(NodeProgramEnded{});
  story.take<Publish>();
  story.take<Finish>();
  EXPECT_EQ(story.status().phase, NodePhase::Gone);
  EXPECT_EQ(story.status().ranks[0].exit_code, 3);
  EXPECT_EQ(story.status().site_error, "");
}

TEST(SupervisionPrograms, NothingDisturbsTheEpilog) {
  LaunchSpec launch = with_programs(gang_launch(1, 1), "", "/e");
  launch.lease_ms = 10'000;
  launch.lease_grace_ms = 100;
  SupervisionStory story(launch);
  story.run_ranks();
  story.on(RankExited{0, 0, 0, false}).on(Emptied{}).skip();
  EXPECT_FALSE(story.supervision.wakeup()) << "no limit of the job is about its epilog";
  // As the controller says when all ranks have exited, and again.
  story.on(StopAsked{{StopWhy::JobEnded, false, 0, 1'000, ""}});
  story.wait_until(60'000);  // the lease has ended, and what follows it
  story.on(Emptied{});
  story.on(SuspendAsked{{1, true}});
  story.on(NodeProgramEnded{});
  story.take<Publish>();
  story.take<Finish>();
}

TEST(SupervisionPrograms, AFailedEpilogIsToldWithTheEnd) {
  const std::string error = "Epilog error: it did not end within 300 s";
  SupervisionStory story(with_programs(gang_launch(1, 1), "", "/e"));
  story.run_ranks();
  story.on(RankExited{0, 0, 0, false}).on(Emptied{}).on(NodeProgramEnded{error}).skip();
  EXPECT_EQ(story.status().phase, NodePhase::Gone);
  EXPECT_EQ(story.status().site_error, error);
  EXPECT_EQ(story.status().note, error);
  EXPECT_EQ(story.status().refused, "");
}

TEST(SupervisionPrograms, TheEpilogFollowsWhateverCannotBePrepared) {
  SupervisionStory story(with_programs(gang_launch(1, 1), "", "/e"));
  story.on(Begun{}).skip();
  story.on(PrepareFailed{{"the disk is full", ""}, true, false});
  story.take<AbandonFileWork>();
  story.take<RunNodeProgram>();
  story.on(Prepared{29'500});  // of a work that was given up
  story.on(NodeProgramEnded{}).skip();
  EXPECT_EQ(story.status().refused, "the disk is full");
  EXPECT_EQ(story.status().phase, NodePhase::Gone);
}

TEST(SupervisionPrograms, StepsAreToldToBeGoneBeforeTheEpilogEnds) {
  LaunchSpec launch = with_programs(batch_launch(2), "", "/e");
  launch.node_index = 1;  // no rank runs here
  SupervisionStory story(launch);
  story.run_ranks();
  StepLaunch step;
  step.number = 4;
  step.ranks = {0};
  story.on(StepAsked{step}).on(StopAsked{cancel()}).on(StepdLost{}).skip();
  story.on(Emptied{});
  story.take<AbandonFileWork>();
  story.take<RunNodeProgram>();
  EXPECT_EQ(story.status().steps.at(0).phase, StepPhase::Gone);
  story.skip();
  story.on(NodeProgramEnded{}).skip();
  EXPECT_EQ(story.status().phase, NodePhase::Gone);
}

}  // namespace
}  // namespace cox
