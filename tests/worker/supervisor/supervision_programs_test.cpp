// Tests the node's prolog and epilog, which a supervisor runs before and after everything else of
// an attempt.
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

TEST(SupervisionPrograms, TheNodePreparesTheJobOnlyAfterTheProlog) {
  SupervisionStory story(with_programs(gang_launch(1, 1), "/p", ""));
  story.on(Begun{});
  story.take<Publish>();
  EXPECT_EQ(story.take<RunNodeProgram>().which, NodeProgram::Prolog);
  story.on(GoOrdered{});  // too early
  story.on(NodeProgramEnded{});
  story.take<PrepareNode>();
  story.on(Prepared{29'500});
  story.take<Publish>();
  EXPECT_EQ(story.status().phase, NodePhase::Ready);
}

TEST(SupervisionPrograms, AfterAFailedPrologTheEpilogRunsAndTheLaunchIsReportedAsRefused) {
  SupervisionStory story(with_programs(gang_launch(1, 1), "/p", "/e"));
  story.on(Begun{}).skip();
  story.on(NodeProgramEnded{failure});
  story.take<AbandonFileWork>();
  EXPECT_EQ(story.take<RunNodeProgram>().which, NodeProgram::Epilog);
  story.take<Publish>();
  EXPECT_EQ(story.status().site_error, failure) << "reported at once, so that the node is drained";
  EXPECT_EQ(story.status().refused, "") << "reported only with the end, when the node is empty";
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
  story.on(StopOrdered{cancel()});
  story.take<AbandonFileWork>();
  story.take<Publish>();
  EXPECT_EQ(story.status().phase, NodePhase::Preparing);
  story.on(StopOrdered{cancel()});  // repeated
  story.on(NodeProgramEnded{});
  EXPECT_EQ(story.take<RunNodeProgram>().which, NodeProgram::Epilog);
  story.on(GoOrdered{});  // a Go that was sent before the stop, so it is ignored
  story.on(NodeProgramEnded{});
  story.take<Publish>();
  story.take<Finish>();
  EXPECT_EQ(story.status().phase, NodePhase::Gone);
  EXPECT_EQ(story.status().refused, "");
}

TEST(SupervisionPrograms, APrologThatFailsDuringAStopStillDrainsTheNode) {
  SupervisionStory story(with_programs(gang_launch(1, 1), "/p", ""));
  story.on(Begun{}).on(StopOrdered{cancel()}).skip();
  story.on(NodeProgramEnded{failure}).skip();
  EXPECT_EQ(story.status().phase, NodePhase::Gone);
  EXPECT_EQ(story.status().site_error, failure);
  EXPECT_EQ(story.status().refused, "") << "the stop ended it, not the prolog";
}

TEST(SupervisionPrograms, TheEpilogRunsAfterTheLastProcessAndBeforeTheEndIsReported) {
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

TEST(SupervisionPrograms, TheEpilogIsNotInterrupted) {
  LaunchSpec launch = with_programs(gang_launch(1, 1), "", "/e");
  launch.lease_ms = 10'000;
  launch.lease_grace_ms = 100;
  SupervisionStory story(launch);
  story.run_ranks();
  story.on(RankExited{0, 0, 0, false}).on(Emptied{}).skip();
  EXPECT_FALSE(story.supervision.wakeup()) << "no limit of the job applies to its epilog";
  // When all ranks have exited, the controller sends a stop and repeats it.
  story.on(StopOrdered{{StopWhy::JobEnded, false, 0, 1'000, ""}});
  story.wait_until(60'000);  // after the end of the lease and of its grace
  story.on(Emptied{});
  story.on(SuspensionOrdered{{1, true}});
  story.on(NodeProgramEnded{});
  story.take<Publish>();
  story.take<Finish>();
}

TEST(SupervisionPrograms, AFailedEpilogIsReportedWithTheEnd) {
  const std::string error = "Epilog error: it did not end within 300 s";
  SupervisionStory story(with_programs(gang_launch(1, 1), "", "/e"));
  story.run_ranks();
  story.on(RankExited{0, 0, 0, false}).on(Emptied{}).on(NodeProgramEnded{error}).skip();
  EXPECT_EQ(story.status().phase, NodePhase::Gone);
  EXPECT_EQ(story.status().site_error, error);
  EXPECT_EQ(story.status().note, error);
  EXPECT_EQ(story.status().refused, "");
}

TEST(SupervisionPrograms, TheEpilogFollowsAFailedPreparation) {
  SupervisionStory story(with_programs(gang_launch(1, 1), "", "/e"));
  story.on(Begun{}).skip();
  story.on(PrepareFailed{{"the disk is full", ""}, true});
  story.take<AbandonFileWork>();
  story.take<RunNodeProgram>();
  story.on(Prepared{29'500});  // the abandoned preparation ends late
  story.on(NodeProgramEnded{}).skip();
  EXPECT_EQ(story.status().refused, "the disk is full");
  EXPECT_EQ(story.status().phase, NodePhase::Gone);
}

TEST(SupervisionPrograms, StepsAreReportedAsGoneBeforeTheEpilogEnds) {
  LaunchSpec launch = with_programs(batch_launch(2), "", "/e");
  launch.node_index = 1;  // the script runs on node 0, not here
  SupervisionStory story(launch);
  story.run_ranks();
  StepLaunch step;
  step.number = 4;
  step.ranks = {0};
  story.on(StepOrdered{step}).on(StopOrdered{cancel()}).on(StepdLost{}).skip();
  story.on(Emptied{});
  story.take<AbandonFileWork>();
  story.take<RunNodeProgram>();
  EXPECT_EQ(story.status().steps.at(0).phase, StepPhase::Gone);
  story.skip();
  story.on(NodeProgramEnded{}).skip();
  EXPECT_EQ(story.status().phase, NodePhase::Gone);
}

// After node_timeout without contact the controller gives the job to another node, whose ranks
// write the output files that the prolog's end would let this node empty.
class SupervisionOfACutOffNode : public testing::Test {
 protected:
  static LaunchSpec launch() {
    LaunchSpec launch = with_programs(gang_launch(2, 1), "/p", "");
    launch.lease_ms = 60'000;
    launch.node_timeout_ms = 15'000;
    launch.lease_from = boot_from_ms(1'000);
    return launch;
  }
};

TEST_F(SupervisionOfACutOffNode, OutputIsEmptiedOnlyWhileTheJobCanBeNowhereElse) {
  SupervisionStory story(launch());
  story.on(Begun{}).skip();
  story.wait_until(15'999).on(NodeProgramEnded{});
  EXPECT_EQ(story.take<PrepareNode>().empty_output_until, boot_from_ms(16'000));
}

TEST_F(SupervisionOfACutOffNode, ItPreparesWhenTheControllerAnswersAgain) {
  SupervisionStory story(launch());
  story.on(Begun{}).skip();
  story.wait_until(16'000).on(NodeProgramEnded{});
  story.on(LeaseRenewed{});  // of a worker that has begun anew, and renews nothing
  story.on(LeaseRenewed{boot_from_ms(60'000 + 15'500)});
  EXPECT_EQ(story.take<PrepareNode>().empty_output_until, boot_from_ms(30'500));
  story.on(LeaseRenewed{boot_from_ms(60'000 + 15'600)});  // prepares only once
}

TEST_F(SupervisionOfACutOffNode, AnOrderThatMayBeOldWaitsForTheFirstAnswer) {
  LaunchSpec old = launch();
  old.lease_from = Boot{};
  SupervisionStory story(old);
  story.on(Begun{}).skip();
  story.wait_until(2'000).on(NodeProgramEnded{});
  story.on(LeaseRenewed{boot_from_ms(60'000 + 1'500)});
  EXPECT_EQ(story.take<PrepareNode>().empty_output_until, boot_from_ms(16'500));
}

TEST_F(SupervisionOfACutOffNode, FilesThatWereReachedTooLateAreEmptiedAfterTheNextAnswer) {
  SupervisionStory story(launch());
  story.on(Begun{}).skip();
  story.on(NodeProgramEnded{}).skip();
  story.wait_until(16'500).on(PrepareLate{});
  story.on(LeaseRenewed{boot_from_ms(60'000 + 16'000)});
  EXPECT_EQ(story.take<PrepareNode>().empty_output_until, boot_from_ms(31'000));
}

TEST_F(SupervisionOfACutOffNode, ItLeavesWhenTheLeaseEndsFirst) {
  SupervisionStory story(launch());
  story.on(Begun{}).skip();
  story.wait_until(16'000).on(NodeProgramEnded{});
  story.wait_until(61'000);
  story.take<AbandonFileWork>();
  story.take<Publish>();
  story.take<Finish>();
  EXPECT_EQ(story.status().phase, NodePhase::Gone);
}

TEST_F(SupervisionOfACutOffNode, AJobThatHasRunBeforeEmptiesNothingAndNeedNotWait) {
  LaunchSpec again = launch();
  again.restarts = 1;
  SupervisionStory story(again);
  story.on(Begun{}).skip();
  story.wait_until(16'000).on(NodeProgramEnded{});
  EXPECT_EQ(story.take<PrepareNode>().empty_output_until, std::nullopt);
}

TEST_F(SupervisionOfACutOffNode, AnAttemptAfterTheFirstEmptiesTheOutputIfItsOwnerAskedForThat) {
  LaunchSpec again = launch();
  again.restarts = 1;
  again.spec.stored_options = {std::string(truncate_stored)};
  SupervisionStory story(again);
  story.on(Begun{}).skip();
  story.on(NodeProgramEnded{});
  EXPECT_NE(story.take<PrepareNode>().empty_output_until, std::nullopt);
}

}  // namespace
}  // namespace cox
