#include <gtest/gtest.h>
#include <signal.h>

#include "common/base/limits.h"
#include "tests/worker/supervision_story.h"

namespace cox {
namespace {

using Story = SupervisionStory;
using Signals = std::vector<std::int32_t>;

TEST(Supervision, PreparesThenWaitsForTheOrderToStartAndRuns) {
  Story story(gang_launch(1, 2));
  story.on(Begun{});
  story.take<Publish>();
  EXPECT_TRUE(story.take<PrepareNode>().reserve_port);
  story.on(Prepared{29'500});
  story.take<Publish>();
  EXPECT_EQ(story.status().phase, NodePhase::Ready);
  EXPECT_EQ(story.status().master_port, 29'500);

  story.on(GoOrdered{});
  EXPECT_EQ(story.take<StartRanks>().ranks, (std::vector<std::int32_t>{0, 1}));
  story.take<Publish>();
  EXPECT_EQ(story.status().phase, NodePhase::Running);
  story.on(GoOrdered{});  // a repeated Go starts nothing again
}

TEST(Supervision, AnOrderToStartBeforeTheNodeIsReadyStartsNothing) {
  Story story(gang_launch(1, 1));
  story.on(Begun{}).skip();
  story.on(GoOrdered{});
  EXPECT_EQ(story.status().phase, NodePhase::Preparing);
}

TEST(Supervision, ADamagedCheckpointEndsTheAttemptWithoutBlamingTheNode) {
  Story story(gang_launch(1, 1));
  story.on(Begun{}).skip();
  story.on(
      PrepareFailed{{"step-3/rank-0: its content has changed", ""}, false, ResumeFault::Differs});
  story.take<AbandonFileWork>();
  story.take<Publish>();
  story.take<Finish>();
  EXPECT_EQ(story.status().phase, NodePhase::Gone);
  EXPECT_EQ(story.status().resume_fault, ResumeFault::Differs);
  EXPECT_TRUE(story.status().resume_damaged) << "for controllers of the previous version";
  EXPECT_FALSE(story.status().node_at_fault);
}

TEST(Supervision, ACheckpointThatCannotBeReadIsNotReportedAsDamaged) {
  Story story(gang_launch(1, 1));
  story.on(Begun{}).skip();
  story.on(PrepareFailed{{"step-3: no such folder", ""}, true, ResumeFault::Unreadable}).skip();
  EXPECT_EQ(story.status().resume_fault, ResumeFault::Unreadable);
  EXPECT_FALSE(story.status().resume_damaged);
  EXPECT_TRUE(story.status().node_at_fault) << "so another node is tried";
}

TEST(Supervision, IsGoneOnlyWhenNoProcessIsLeft) {
  Story story(gang_launch(1, 2));
  story.run_ranks();
  story.on(RankExited{0, 0, 0, false});
  story.take<Publish>();
  story.on(Emptied{});  // ignored, since a rank is still running
  EXPECT_EQ(story.status().phase, NodePhase::Running);
  story.on(RankExited{1, 3, 0, false});
  story.take<KillEverything>();
  story.take<Publish>();
  EXPECT_EQ(story.status().phase, NodePhase::Running);
  story.on(Emptied{});
  story.take<AbandonFileWork>();
  story.take<Publish>();
  story.take<Finish>();
  EXPECT_EQ(story.status().phase, NodePhase::Gone);
  EXPECT_EQ(story.status().ranks[1].exit_code, 3);
}

TEST(Supervision, ReportsTheUsageOfItsRanks) {
  Story story(gang_launch(1, 2));
  story.run_ranks();
  story.on(RankExited{0, 0, 0, false, {1'000, 20, 300}});
  story.take<Publish>();
  EXPECT_EQ(story.status().usage, (StepUsage{1'000, 20, 300}));
  story.on(RankExited{1, 0, SIGKILL, false, {5, 1, 900}}).skip();
  EXPECT_EQ(story.status().usage, (StepUsage{1'005, 21, 900})) << "the sums and the maximum";
}

TEST(Supervision, AsksToSaveThenTerminatesThenKills) {
  Story story(gang_launch(1, 1));
  story.run_ranks();
  story.on(StopOrdered{preempt(5'000)});
  EXPECT_EQ(story.take<WriteReason>().why, StopWhy::Preempt);
  EXPECT_EQ(story.take<SignalRanks>().signals, (Signals{SIGCONT, SIGTERM}));
  story.take<Publish>();
  EXPECT_EQ(story.status().phase, NodePhase::Stopping);
  EXPECT_EQ(story.supervision.wakeup(), boot_from_ms(6'000));
  story.on(StopOrdered{preempt(1)});  // repeated: changes nothing
  story.wait_until(5'999);
  story.wait_until(6'000);
  EXPECT_EQ(story.take<SignalRanks>().signals, (Signals{SIGCONT, SIGTERM}));
  story.wait_until(6'999);
  story.wait_until(7'000);
  story.take<KillEverything>();
}

TEST(Supervision, TheSignalOptionsOfTheJobChooseTheSignalThatAsksForACheckpoint) {
  LaunchSpec launch = batch_launch(1);
  launch.spec.signal.number = SIGUSR1;
  launch.spec.signal.batch_only = true;
  {
    Story story(launch);
    story.run_ranks().on(StopOrdered{preempt(5'000)});
    story.take<WriteReason>();
    const SignalRanks signal = story.take<SignalRanks>();
    EXPECT_EQ(signal.signals, Signals{SIGUSR1});
    EXPECT_FALSE(signal.whole_group);
    story.take<Publish>();
  }
  launch.spec.checkpoint_signal = SIGUSR2;
  Story story(launch);
  story.run_ranks().on(StopOrdered{preempt(5'000)});
  story.take<WriteReason>();
  const SignalRanks signal = story.take<SignalRanks>();
  EXPECT_EQ(signal.signals, Signals{SIGUSR2});
  EXPECT_FALSE(signal.whole_group) << "only the shell";
  story.take<Publish>();
}

TEST(Supervision, ACancelOverridesAPreemptionAndNeverGivesMoreTime) {
  Story story(gang_launch(1, 1));
  story.run_ranks().on(StopOrdered{preempt(60'000)}).skip();
  story.wait_until(2'000).on(StopOrdered{cancel()});
  EXPECT_EQ(story.take<WriteReason>().why, StopWhy::Cancel);
  EXPECT_EQ(story.take<SignalRanks>().signals, (Signals{SIGCONT, SIGTERM}));
  story.take<Publish>();
  story.on(StopOrdered{preempt(60'000)});  // weaker: too late
  story.wait_until(3'000);
  story.take<KillEverything>();
  EXPECT_EQ(story.status().stop, StopWhy::Cancel);
}

// F18.
TEST(Supervision, AFullOutputDiskIsReportedAndClearedAndEndsNothing) {
  Story story(gang_launch(1, 1));
  story.run_ranks();
  story.on(OutputChecked{{}, ""});
  story.on(OutputChecked{{}, "/srv/out"});
  story.take<Publish>();
  EXPECT_EQ(story.status().note, "no room for output: the disk of /srv/out is full");
  EXPECT_EQ(story.status().phase, NodePhase::Running);
  story.on(OutputChecked{{}, "/srv/err"});  // still a full disk, so nothing new is reported
  story.wait_until(10'000).on(OutputChecked{{}, ""});
  // The disk has room only for a moment, which is not reported.
  story.wait_until(15'000).on(OutputChecked{{}, "/srv/out"});
  story.wait_until(20'000).on(OutputChecked{{}, ""});
  story.wait_until(39'999).on(OutputChecked{{}, ""});
  EXPECT_NE(story.status().note, "");
  story.wait_until(40'000).on(OutputChecked{{}, ""});
  story.take<Publish>();
  EXPECT_EQ(story.status().note, "");
}

TEST(Supervision, OtherNotesStayWhenTheDiskHasRoomAgain) {
  Story story(gang_launch(1, 2));
  story.run_ranks();
  story.on(OutputChecked{{}, "/srv/out"}).on(Unkillable{KillFailure::Held}).skip();
  EXPECT_EQ(story.status().note,
            "no room for output: the disk of /srv/out is full; processes outlive SIGKILL");
  story.on(OutputChecked{{}, ""}).wait_until(60'000).on(OutputChecked{{}, ""}).skip();
  EXPECT_EQ(story.status().note, "processes outlive SIGKILL");
}

TEST(Supervision, ProcessesThatSurviveSigkillAreReportedUntilTheyAreGone) {
  Story story(gang_launch(1, 1));
  story.run_ranks();
  story.on(StopOrdered{cancel()}).wait_until(60'000).skip();
  story.on(Unkillable{KillFailure::Runs});
  story.take<Publish>();
  EXPECT_EQ(story.status().kill_failure, KillFailure::Runs);
  EXPECT_EQ(story.status().phase, NodePhase::Stopping) << "its room is not free yet";
  story.on(Unkillable{KillFailure::Runs});  // the same fact is not reported again
  story.on(Unkillable{KillFailure::Held});
  story.take<Publish>();
  EXPECT_EQ(story.status().note, "processes outlive SIGKILL");
  story.on(RankExited{0, 0, SIGKILL}).skip();
  story.on(Emptied{});
  story.take<AbandonFileWork>();
  story.take<Publish>();
  story.take<Finish>();
  EXPECT_EQ(story.status().phase, NodePhase::Gone);
}

TEST(Supervision, AnAttemptOnOneNodeStartsWhenItIsPrepared) {
  LaunchSpec launch = gang_launch(1, 2);
  launch.go_when_ready = true;
  Story story(launch);
  story.on(Begun{}).skip();
  story.on(Prepared{29'500});
  const StartRanks start = story.take<StartRanks>();
  EXPECT_EQ(start.ranks, (std::vector<std::int32_t>{0, 1}));
  EXPECT_EQ(start.order.master_address, "127.0.0.11");
  EXPECT_EQ(start.order.master_port, 29'500);
  story.take<Publish>();
  EXPECT_EQ(story.status().phase, NodePhase::Running);
  story.on(GoOrdered{});  // one node needs no Go, so a Go starts nothing again
}

TEST(Supervision, AnAttemptOnOneNodeDoesNotStartAfterItsLease) {
  LaunchSpec launch = gang_launch(1, 1);
  launch.lease_ms = 10'000;
  launch.go_when_ready = true;
  launch.lease_from = boot_from_ms(500);
  Story story(launch);
  story.on(Begun{}).skip();
  story.ms = 10'500;
  story.on(Prepared{29'500});
  story.take<AbandonFileWork>();
  story.take<Publish>();
  story.take<Finish>();
  EXPECT_EQ(story.status().ranks[0].phase, RankPhase::Waiting);
}

TEST(Supervision, AnAttemptStoppedBeforeTheOrderToStartRunsNothing) {
  Story story(gang_launch(1, 1));
  story.on(Begun{}).on(Prepared{29'500}).skip();
  story.on(StopOrdered{StopOrder{StopWhy::LaunchUndone, false, 0, 0, ""}});
  story.take<AbandonFileWork>();
  story.take<Publish>();
  story.take<Finish>();
  EXPECT_EQ(story.status().phase, NodePhase::Gone);
  story.on(GoOrdered{});
  EXPECT_EQ(story.status().ranks[0].phase, RankPhase::Waiting);
}

TEST(Supervision, ANodeWithoutRanksRunsUntilItIsStopped) {
  LaunchSpec launch = batch_launch(2);
  launch.node_index = 1;
  Story story(launch);
  story.on(Begun{}).on(Prepared{}).on(GoOrdered{}).skip();
  EXPECT_TRUE(story.status().ranks.empty());
  EXPECT_EQ(story.status().phase, NodePhase::Running);
  story.on(StopOrdered{StopOrder{StopWhy::JobEnded, false, 0, 0, ""}}).skip();
  EXPECT_EQ(story.status().phase, NodePhase::Gone);
}

LaunchSpec leased_launch() {
  LaunchSpec launch = gang_launch(1, 1);
  launch.lease_ms = 10'000;
  launch.lease_grace_ms = 2'000;
  return launch;
}

TEST(Supervision, TheAttemptIsStoppedWhenItsLeaseEnds) {
  Story story(leased_launch());
  story.run_ranks();
  story.on(LeaseRenewed{boot_from_ms(20'000)});
  story.on(LeaseRenewed{boot_from_ms(15'000)});  // an earlier end than the present one is ignored
  story.wait_until(19'999);
  story.wait_until(20'000);
  EXPECT_EQ(story.take<WriteReason>().why, StopWhy::LeaseEnded);
  story.take<SignalRanks>();
  story.take<Publish>();
  story.on(LeaseRenewed{boot_from_ms(90'000)});  // ignored, since the lease has ended
  story.wait_until(22'000);
  story.take<SignalRanks>();
  story.wait_until(23'000);
  story.take<KillEverything>();
}

TEST(Supervision, ALongGraceEndsWithTheLease) {
  Story story(leased_launch());
  story.run_ranks().on(StopOrdered{preempt(600'000)}).skip();
  story.wait_until(11'000);
  story.wait_until(13'000);
  story.take<SignalRanks>();
  story.wait_until(14'000);
  story.take<KillEverything>();
  EXPECT_EQ(story.status().stop, StopWhy::Preempt);
}

TEST(Supervision, AMachineThatSleptPastItsLeaseKillsAtOnce) {
  Story story(leased_launch());
  story.run_ranks().wait_until(1'000'000);
  story.take<WriteReason>();
  story.take<SignalRanks>();
  story.take<SignalRanks>();
  story.take<KillEverything>();
  story.take<Publish>();
}

TEST(Supervision, AnOrderToStartAfterTheEndOfTheLeaseStartsNothing) {
  Story story(leased_launch());
  story.on(Begun{}).on(Prepared{29'500}).skip();
  story.ms = 11'000;
  story.on(GoOrdered{});
  story.take<AbandonFileWork>();
  story.take<Publish>();
  story.take<Finish>();
  EXPECT_EQ(story.status().phase, NodePhase::Gone);
  EXPECT_EQ(story.status().stop, StopWhy::LeaseEnded);
}

LaunchSpec saving_launch() {
  LaunchSpec launch = gang_launch(1, 2);
  launch.job_checkpoint_dir = "/checkpoints/17";
  return launch;
}

SavedStep saved_step(std::int64_t step) {
  return SavedStep{step, 100, 2, false};
}

TEST(Supervision, ASaveIsAnsweredOnceItIsDurable) {
  Story story(saving_launch());
  story.run_ranks();
  story.on(SaveRequested{{-1, 1}, 40, 7});
  const Seal seal = story.take<Seal>();
  EXPECT_EQ(seal.rank, 1);
  EXPECT_EQ(seal.step, 40);
  story.on(Sealed{seal.number, saved_step(40), std::nullopt});
  story.take<Publish>();
  const AnswerSave answer = story.take<AnswerSave>();
  EXPECT_EQ(answer.token, 7);
  EXPECT_EQ(answer.saved, saved_step(40));
  ASSERT_EQ(story.status().ranks[1].saved.size(), 1u);
}

TEST(Supervision, TwoReportsOfOneCheckpointAreSealedOnceAndBothAnswered) {
  Story story(saving_launch());
  story.run_ranks().on(SaveRequested{{-1, 0}, 40, 1});
  const Seal seal = story.take<Seal>();
  story.on(SaveRequested{{-1, 0}, 40, 2});
  story.on(SaveRequested{{-1, 0}, 41, 3});
  EXPECT_EQ(story.take<Seal>().step, 41);  // step 41 is sealed by itself
  story.on(Sealed{seal.number, saved_step(40), std::nullopt});
  story.take<Publish>();
  for (const std::int64_t token : {1, 2}) {
    const auto answer = story.take<AnswerSave>();
    EXPECT_EQ(answer.token, token);
    EXPECT_EQ(answer.saved, saved_step(40));
  }
}

TEST(Supervision, RefusesASaveOfAnUnknownRankOrOfAnEarlierOrNegativeStep) {
  Story story(saving_launch());
  story.run_ranks().on(SaveRequested{{-1, 0}, 40, 1});
  story.on(Sealed{story.take<Seal>().number, saved_step(40), std::nullopt}).skip();
  for (const SaveRequested& wrong : {SaveRequested{{-1, 5}, 41, 2}, SaveRequested{{-1, 0}, -1, 3},
                                     SaveRequested{{-1, 0}, 39, 4}}) {
    story.on(wrong);
    const AnswerSave answer = story.take<AnswerSave>();
    ASSERT_TRUE(answer.refused.has_value());
    EXPECT_EQ(answer.token, wrong.token);
  }
}

TEST(Supervision, MarksCheckpointsThatWereSavedAfterTheRequestToStop) {
  Story story(saving_launch());
  story.run_ranks().on(SaveRequested{{-1, 0}, 40, 1});
  const Seal before = story.take<Seal>();
  story.on(StopOrdered{preempt(5'000)}).skip();
  story.on(SaveRequested{{-1, 0}, 41, 2});
  const Seal after = story.take<Seal>();
  story.on(Sealed{after.number, saved_step(41), std::nullopt});
  story.on(Sealed{before.number, saved_step(40), std::nullopt}).skip();
  const auto& saved = story.status().ranks[0].saved;
  ASSERT_EQ(saved.size(), 2u);
  EXPECT_EQ(saved[0].step, 40);
  EXPECT_FALSE(saved[0].after_stop);
  EXPECT_EQ(saved[1].step, 41);
  EXPECT_TRUE(saved[1].after_stop);
}

TEST(Supervision, ExitCode75IsReportedTogetherWithTheCheckpointThatWasSaved) {
  Story story(saving_launch());
  story.run_ranks().on(StopOrdered{preempt(5'000)}).skip();
  story.on(RankExited{0, exit_code_saved, 0, false});
  const Seal seal = story.take<Seal>();
  EXPECT_FALSE(seal.step.has_value());
  // The exit is reported only after the seal.
  EXPECT_EQ(story.status().ranks[0].phase, RankPhase::Running);
  story.on(Sealed{seal.number, saved_step(12), std::nullopt});
  story.take<Publish>();
  EXPECT_EQ(story.status().ranks[0].phase, RankPhase::Exited);
  EXPECT_EQ(story.status().ranks[0].exit_code, exit_code_saved);
  ASSERT_EQ(story.status().ranks[0].saved.size(), 1u);
  EXPECT_TRUE(story.status().ranks[0].saved[0].after_stop);
}

TEST(Supervision, AnExitWaitsForASealInProgress) {
  Story story(saving_launch());
  story.run_ranks().on(SaveRequested{{-1, 0}, 40, 1});
  const Seal seal = story.take<Seal>();
  story.on(RankExited{0, 0, 0, false});
  EXPECT_EQ(story.status().ranks[0].phase, RankPhase::Running);
  story.on(Sealed{seal.number, std::nullopt, Refusal{"disk full", ""}});
  story.take<Publish>();
  EXPECT_TRUE(story.take<AnswerSave>().refused.has_value());
  EXPECT_EQ(story.status().ranks[0].phase, RankPhase::Exited);
  EXPECT_NE(story.status().note.find("disk full"), std::string::npos);
}

TEST(Supervision, ASealThatHangsIsAbandoned) {
  LaunchSpec launch = saving_launch();
  launch.nodes[0].grant.ranks = 1;
  Story story(launch);
  story.run_ranks().on(SaveRequested{{-1, 0}, 40, 1}).on(StopOrdered{cancel()});
  story.on(RankExited{0, 0, SIGTERM, false}).wait_until(2'000).skip();
  EXPECT_EQ(story.supervision.wakeup(), boot_from_ms(2'000) + Supervision::seal_after_kill_max);
  story.wait_until(2'000 + Supervision::seal_after_kill_max.count());
  story.take<AbandonFileWork>();
  story.take<KillEverything>();
  story.take<Publish>();
  story.on(Emptied{}).skip();
  EXPECT_EQ(story.status().phase, NodePhase::Gone);
}

TEST(Supervision, Rank0SavesForAllRanks) {
  LaunchSpec launch = saving_launch();
  launch.spec.checkpoint_by = CheckpointBy::Rank0;
  launch.resume = ResumeFrom{AttemptNumber(1), 5};
  Story story(launch);
  story.on(Begun{});
  story.take<Publish>();
  EXPECT_EQ(story.take<PrepareNode>().verify_ranks, std::vector<std::int32_t>{0});
  story.on(Prepared{1}).on(GoOrdered{}).on(RankStarted{0}).on(RankStarted{1}).skip();
  story.on(SaveRequested{{-1, 1}, 6, 3});
  EXPECT_FALSE(story.take<AnswerSave>().refused.has_value());
  EXPECT_TRUE(story.status().ranks[1].saved.empty());
}

TEST(Supervision, EachSavedRankIsVerifiedAlsoIfTheGangChangedItsSize) {
  const auto verified = [](std::int32_t saved_by) {
    LaunchSpec launch = saving_launch();  // of two ranks
    launch.resume = ResumeFrom{AttemptNumber(1), 5};
    launch.resume_ranks = saved_by;
    Story story(launch);
    story.on(Begun{});
    story.take<Publish>();
    return story.take<PrepareNode>().verify_ranks;
  };
  using Ranks = std::vector<std::int32_t>;
  EXPECT_EQ(verified(1), (Ranks{0}));
  EXPECT_EQ(verified(2), (Ranks{0, 1}));
  EXPECT_EQ(verified(5), (Ranks{0, 2, 4, 1, 3}));
}

TEST(Supervision, ReportsOnlyTheNewestSavedStepsOfARank) {
  Story story(saving_launch());
  story.run_ranks();
  const auto steps = static_cast<std::int64_t>(limits::saved_steps_max) + 3;
  for (std::int64_t step = 0; step < steps; ++step) {
    story.on(SaveRequested{{-1, 0}, step, 1});
    story.on(Sealed{story.take<Seal>().number, saved_step(step), std::nullopt}).skip();
  }
  const auto& saved = story.status().ranks[0].saved;
  ASSERT_EQ(saved.size(), limits::saved_steps_max);
  EXPECT_EQ(saved.back().step, steps - 1);
}

TEST(Supervision, ARankThatCannotStartReportsTheReason) {
  Story story(gang_launch(1, 1));
  story.on(Begun{}).on(Prepared{1}).on(GoOrdered{}).skip();
  story.ms = 2'500;
  story.on(RankStartFailed{0, 127, "cannot run nosuch: No such file or directory"});
  story.take<KillEverything>();
  story.take<Publish>();
  const RankStatus& rank = story.status().ranks[0];
  EXPECT_EQ(rank.phase, RankPhase::Exited);
  EXPECT_EQ(rank.exit_code, 127);
  EXPECT_EQ(rank.started, story.now().wall);
  EXPECT_EQ(rank.ended, story.now().wall) << "it ended when it failed to start";
  EXPECT_EQ(story.status().note, "rank 0: cannot run nosuch: No such file or directory");
}

TEST(Supervision, TheRevisionOfTheStatusGrowsByOneWithEveryChange) {
  Story story(gang_launch(1, 1));
  std::int64_t published = 0;
  story.run_ranks();
  const std::int64_t revision = story.status().revision;
  EXPECT_EQ(revision, 3);  // three changes: ready, running, and the start of the rank
  story.wait_until(5'000);
  EXPECT_EQ(story.status().revision, revision);
  EXPECT_EQ(story.status().ran_ms, 4'000);
  story.on(StopOrdered{cancel()}).on(RankExited{0, 0, 15, true}).on(Emptied{});
  for (const Action& action : story.actions) published += std::holds_alternative<Publish>(action);
  EXPECT_EQ(story.status().revision, revision + published);
  EXPECT_TRUE(story.status().out_of_memory);
  story.skip();
}

}  // namespace
}  // namespace cox
