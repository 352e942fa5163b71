// Tests the line in a batch script's standard error that says why the script was ended, and when
// the line is written.
#include "worker/supervisor/cancelled_line.h"

#include <signal.h>

#include "tests/worker/supervision_story.h"

namespace cox {

namespace {

using Story = SupervisionStory;

constexpr const char* moment = "2026-11-22T20:35:18";

TEST(CancelledLine, IsTheLineThatSlurmWrites) {
  LaunchSpec launch = batch_launch(2);
  const std::string begin = "slurmstepd: error: *** JOB 17 ON n1 CANCELLED AT 2026-11-22T20:35:18";
  const auto of = [&](StopWhy why) { return cancelled_line(launch, why, moment); };
  EXPECT_EQ(of(StopWhy::Cancel), begin + " ***\n");
  EXPECT_EQ(of(StopWhy::TimeLimit), begin + " DUE TO TIME LIMIT ***\n");
  EXPECT_EQ(of(StopWhy::Deadline), begin + " DUE TO TIME LIMIT ***\n");
  EXPECT_EQ(of(StopWhy::Requeue), begin + " DUE TO JOB REQUEUE ***\n");
  EXPECT_EQ(of(StopWhy::Preempt), begin + " DUE TO PREEMPTION ***\n");
  EXPECT_EQ(of(StopWhy::NodeLost), begin + " DUE TO NODE FAILURE ***\n");
  launch.array_job = JobId(16);
  launch.array_task = 1;
  EXPECT_EQ(of(StopWhy::Cancel), begin + " ***\n") << "it has the task's own job id";
}

TEST(CancelledLine, IsWrittenOnceWithTheSignalThatEndsTheScript) {
  Story story(batch_launch(1));
  story.run_ranks().on(StopOrdered{cancel()});
  story.take<WriteReason>();
  EXPECT_EQ(story.take<SignalRanks>().reason, StopWhy::Cancel);
  story.take<Publish>();

  Story grace(batch_launch(1));
  grace.run_ranks().on(StopOrdered{preempt(5'000)});
  grace.take<WriteReason>();
  EXPECT_EQ(grace.take<SignalRanks>().reason, StopWhy::Preempt)
      << "SIGTERM, since the script chose no signal";
  grace.take<Publish>();
  grace.wait_until(6'000);
  EXPECT_EQ(grace.take<SignalRanks>().reason, StopWhy::None);
}

TEST(CancelledLine, IsWrittenAtTheEndIfTheScriptChoseAnotherSignal) {
  LaunchSpec launch = batch_launch(1);
  launch.spec.signal.number = SIGUSR1;
  launch.spec.signal.batch_only = true;
  Story story(launch);
  story.run_ranks().on(StopOrdered{StopOrder{StopWhy::TimeLimit, true, 5'000, 1'000, ""}});
  story.take<WriteReason>();
  EXPECT_EQ(story.take<SignalRanks>().reason, StopWhy::None);
  story.take<Publish>();
  story.on(SignalOrdered{SIGTERM, -1, false, true, true});
  EXPECT_EQ(story.take<SignalRanks>().reason, StopWhy::None)
      << "a signal that a user sends is not an end";
  story.wait_until(6'000);
  EXPECT_EQ(story.take<SignalRanks>().reason, StopWhy::TimeLimit);
}

TEST(CancelledLine, IsWrittenWhenTheStepsOfAScriptAreEnded) {
  Story story(batch_launch(1));
  StepOrdered step;
  step.launch.ranks = {0};
  story.run_ranks().on(step).skip();
  story.on(StopOrdered{preempt(5'000)});
  story.take<WriteReason>();
  EXPECT_EQ(story.take<SignalSteps>().signals.back(), SIGTERM);
  const SignalRanks sent = story.take<SignalRanks>();
  EXPECT_EQ(sent.reason, StopWhy::Preempt);
  EXPECT_TRUE(sent.signals.empty()) << "the script continues";
  story.take<Publish>();
}

TEST(CancelledLine, IsNotWrittenForAnEndedScriptOrAGang) {
  Story over(batch_launch(1));
  over.run_ranks().on(StopOrdered{StopOrder{StopWhy::JobEnded, false, 0, 1'000, ""}});
  over.take<WriteReason>();
  EXPECT_EQ(over.take<SignalRanks>().reason, StopWhy::None);
  over.take<Publish>();

  Story exited(batch_launch(1));
  exited.run_ranks().on(RankExited{0, 0, 0}).skip();
  exited.on(StopOrdered{cancel()});
  exited.take<WriteReason>();
  exited.take<Publish>();

  Story gang(gang_launch(1, 1));
  gang.run_ranks().on(StopOrdered{cancel()});
  gang.take<WriteReason>();
  EXPECT_EQ(gang.take<SignalRanks>().reason, StopWhy::None);
  gang.take<Publish>();
}

}  // namespace

}  // namespace cox
