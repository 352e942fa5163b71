// Tests how srun reacts to the ends of its tasks, to signals, and to terminals.
#include <csignal>

#include "tests/client/step_story.h"

namespace cox {
namespace {

// ---- ends ------------------------------------------------------------------------------------

TEST(StepSession, ExitsWithTheHighestExitCode) {
  Story story({});
  story.begin();
  story.end(0, 0);
  story.end(1, 3);
  story.end(2, 2);
  story.end(3, 2);
  story.leave(JobState::Failed, 3);
  EXPECT_TRUE(story.session().is_over());
  EXPECT_EQ(story.session().exit_code(), 3);
  EXPECT_EQ(story.words,
            "srun: error: n1: task 1: Exited with exit code 3\n"
            "srun: error: n2: tasks 2-3: Exited with exit code 2\n");
}

TEST(StepSession, ReportsSignalsAsSlurmDoes) {
  Story story({}, 1, 6);
  story.begin();
  for (const std::int32_t rank : {0, 2, 1, 4}) story.end(rank, 0, SIGKILL);
  story.end(3, 0, SIGSEGV, true);
  story.deliver(0, TaskEnded{5, 0, SIGKILL, false, true, ""});
  story.leave(JobState::Failed);
  EXPECT_EQ(story.words,
            "srun: error: n1: tasks 0-2,4: Killed\n"
            "srun: error: n1: task 5: Out Of Memory\n"
            "srun: error: n1: task 3: Segmentation fault (core dumped)\n"
            "srun: Force Terminated StepId=12.3\n");
  EXPECT_EQ(story.session().exit_code(), 128 + SIGSEGV);
}

TEST(StepSession, ReportsAFailedTaskWithinASecond) {
  Story story({});
  story.begin();
  story.end(1, 1);
  story.pass(500);
  story.end(0, 1);
  EXPECT_EQ(story.words, "");
  story.pass(500);
  EXPECT_EQ(story.words, "srun: error: n1: tasks 0-1: Exited with exit code 1\n");
}

TEST(StepSession, ReportsWhyATaskNeverRan) {
  Story story({});
  story.begin();
  story.deliver(0, TaskEnded{0, 127, 0, false, false, "cannot run x: No such file or directory"});
  story.deliver(0, StepLeft{false, false, "cannot run x: No such file or directory"});
  EXPECT_EQ(story.words,
            "srun: error: n1: task 0: cannot run x: No such file or directory\n"
            "srun: error: n1: task 0: Exited with exit code 127\n");
}

TEST(StepSession, AnAbortOnOneNodeEndsTheStepOnAll) {
  Story story({});
  story.begin();
  story.end(0, 9);
  story.end(1, 0, SIGTERM);
  EXPECT_EQ(story.ends.size(), 0u);
  story.deliver(0, StepLeft{false, false, "rank 0 has aborted", true});
  EXPECT_EQ(story.ends.size(), 1u);
}

TEST(StepSession, WaitsForTheEndFromTheControllerButNotForEver) {
  Story story({});
  story.begin();
  for (std::int32_t rank = 0; rank < 4; ++rank) story.end(rank, 0);
  story.deliver(0, StepLeft{});
  story.deliver(1, StepLeft{});
  EXPECT_FALSE(story.session().is_over());  // the controller has not reported the end
  const std::size_t asked = story.asked.size();
  story.pass(1000);
  EXPECT_EQ(story.asked.size(), asked + 1);  // srun asks again: it may be a new controller
  story.pass(4000);
  EXPECT_TRUE(story.session().is_over());
  EXPECT_EQ(story.session().exit_code(), 0);
}

TEST(StepSession, WithKillOnBadExitEndsAllTasksWithTheFirstThatFails) {
  Story story({"-K"});
  story.begin();
  story.end(0, 0);
  EXPECT_EQ(story.ends.size(), 0u);
  story.end(1, 4);
  EXPECT_EQ(story.ends.size(), 1u);
  EXPECT_EQ(story.words,
            "srun: error: n1: task 1: Exited with exit code 4\nsrun: Terminating StepId=12.3\n");
  story.words.clear();
  story.end(2, 0, SIGTERM);
  story.end(3, 0, SIGTERM);
  EXPECT_EQ(story.ends.size(), 1u);
  story.leave(JobState::Cancelled, 4);
  EXPECT_EQ(story.session().exit_code(), 128 + SIGTERM);
  EXPECT_EQ(story.words,
            "srun: error: n2: tasks 2-3: Terminated\nsrun: Force Terminated StepId=12.3\n");
}

TEST(StepSession, EndsTheOtherTasksTheWaitTimeAfterTheFirst) {
  Story story({"-W", "30"});
  story.begin();
  story.end(2, 0);
  story.pass(29'999);
  EXPECT_EQ(story.ends.size(), 0u);
  story.pass(1);
  EXPECT_EQ(story.ends.size(), 1u);
  EXPECT_EQ(story.words,
            "srun: First task exited 30s ago\nsrun: StepId=12.3 tasks 0-1,3: running\n"
            "srun: StepId=12.3 task 2: exited\nsrun: Terminating StepId=12.3\n"
            "srun: Job step aborted: Waiting up to 32 seconds for job step to finish.\n");
  EXPECT_EQ(story.ends[0], SIGKILL);
  EXPECT_TRUE(story.all_sent.empty()) << "the controller alone orders the end";
  story.words.clear();
  for (const std::int32_t rank : {0, 1, 3}) story.end(rank, 0, SIGKILL);
  story.deliver(0, StepLeft{false, true, ""});
  story.deliver(1, StepLeft{false, true, ""});
  EXPECT_EQ(story.words,
            "slurmstepd: error: *** STEP 12.3 ON n1 CANCELLED AT 2027-01-15T08:00:30 ***\n"
            "srun: error: n1: tasks 0-1: Killed\nsrun: error: n2: task 3: Killed\n");
}

TEST(StepSession, ShowsFailedTasksSeparately) {
  Story story({"-W", "1"}, 1, 3);
  story.begin();
  story.end(0, 3);
  story.end(1, 0);
  story.pass(1000);
  EXPECT_NE(story.words.find("srun: StepId=12.3 task 2: running\n"
                             "srun: StepId=12.3 task 0: exited abnormally\n"
                             "srun: StepId=12.3 task 1: exited\n"),
            std::string::npos)
      << story.words;
}

TEST(StepSession, ReportsAnAbortWithoutATimeIfKillWaitIsUnknown) {
  Story story({"-q"});
  story.kill_wait_ms = 0;
  story.begin();
  story.feed(Signalled{SIGINT});
  EXPECT_TRUE(story.words.ends_with("srun: Job step aborted\n")) << story.words;
}

TEST(StepSession, ReportsItsTimeLimitInSlurmsWords) {
  Story story({});
  story.begin();
  story.end(0, 0, SIGTERM);
  story.deliver(0, StepLeft{true, false, ""});
  EXPECT_EQ(story.words,
            "srun: Job step aborted: Waiting up to 32 seconds for job step to finish.\n"
            "slurmstepd: error: *** STEP 12.3 ON n1 CANCELLED AT 2027-01-15T08:00:00 DUE TO TIME "
            "LIMIT ***\nsrun: error: n1: task 0: Terminated\n");
}

TEST(StepSession, ReportsAnAbortIfItsJobIsCancelled) {
  Story story({}, 1, 1);
  story.begin();
  story.end(0, 0, SIGTERM);
  story.leave(JobState::Cancelled);
  EXPECT_EQ(story.words, "srun: error: n1: task 0: Terminated\nsrun: Job step aborted\n");
}

TEST(StepSession, FailsIfItIsCancelled) {
  Story story({});
  story.begin();
  for (std::int32_t rank = 0; rank < 4; ++rank) story.end(rank, 0);
  story.leave(JobState::Cancelled);
  EXPECT_EQ(story.session().exit_code(), 1);
}

// ---- signals ---------------------------------------------------------------------------------

TEST(StepSession, EndsAtTheSecondInterruptAndKillsAtTheThird) {
  Story story({});
  story.begin();
  story.feed(Signalled{SIGINT});
  EXPECT_EQ(story.words,
            "srun: interrupt (one more within 1 sec to abort)\n"
            "srun: StepId=12.3 tasks 0-3: running\n");
  story.words.clear();
  story.pass(900);
  story.feed(Signalled{SIGINT});
  const std::string aborted =
      "srun: Job step aborted: Waiting up to 32 seconds for job step to finish.\n";
  EXPECT_EQ(story.words,
            "srun: sending Ctrl-C to StepId=12.3\nsrun: forcing job termination\n" + aborted);
  ASSERT_EQ(story.sent<SignalTasks>(1).size(), 1U);
  EXPECT_EQ(story.sent<SignalTasks>(1)[0].signal, SIGINT);
  ASSERT_EQ(story.ends.size(), 1u);
  EXPECT_EQ(story.ends[0], 0) << "the tasks have kill_wait to end";
  story.words.clear();
  story.pass(5'000);
  story.feed(Signalled{SIGINT});
  EXPECT_EQ(story.words, "srun: sending Ctrl-C to StepId=12.3\nsrun: job abort in progress\n");
  EXPECT_EQ(story.ends.size(), 1u);
  EXPECT_EQ(story.sent<SignalTasks>(1).back().signal, SIGKILL);
  story.words.clear();
  story.end(0, 0, SIGKILL);
  story.end(1, 5);
  story.pass(1000);
  EXPECT_EQ(story.words, "srun: error: n1: task 1: Exited with exit code 5\n");
}

TEST(StepSession, IgnoresAnInterruptOlderThanASecond) {
  Story story({});
  story.begin();
  for (int i = 0; i < 3; ++i) {
    story.feed(Signalled{SIGINT});
    story.pass(1001);
  }
  EXPECT_TRUE(story.all_sent.empty());
  EXPECT_EQ(story.ends.size(), 0u);
}

TEST(StepSession, WithQuitOnInterruptKillsAtTheFirstInterrupt) {
  Story story({"-q"}, 1, 1);
  story.begin();
  story.feed(Signalled{SIGINT});
  EXPECT_EQ(story.ends.size(), 1u);
  EXPECT_EQ(story.ends[0], SIGKILL);
  ASSERT_EQ(story.sent<SignalTasks>(0).size(), 1U);
  EXPECT_EQ(story.sent<SignalTasks>(0)[0].signal, SIGINT);
  story.end(0, 0, SIGKILL);
  story.leave(JobState::Cancelled);
  const std::string expected =
      "srun: sending Ctrl-C to StepId=12.3\nsrun: forcing job termination\n"
      "srun: Job step aborted: Waiting up to 32 seconds for job step to finish.\n";
  EXPECT_EQ(story.words, expected);
  Story verbose({"-q", "-v"}, 1, 1);
  verbose.begin();
  verbose.feed(Signalled{SIGINT});
  verbose.end(0, 0, SIGKILL);
  verbose.leave(JobState::Cancelled);
  EXPECT_EQ(verbose.words, expected + "srun: error: n1: task 0: Killed\n");
}

TEST(StepSession, ForwardsTheFirstInterruptWithDisableStatus) {
  Story hands_on({"-X"});
  hands_on.begin();
  hands_on.feed(Signalled{SIGINT});
  EXPECT_EQ(hands_on.sent<SignalTasks>(0).size(), 1U);
  EXPECT_EQ(hands_on.words, "srun: sending Ctrl-C to StepId=12.3\n");
  EXPECT_EQ(hands_on.ends.size(), 0u);
  hands_on.feed(Signalled{SIGINT});  // within 1 s
  EXPECT_EQ(hands_on.ends.size(), 1u);
}

TEST(StepSession, ForwardsSignalsOtherThanInterruptsToTheTasks) {
  Story story({});
  story.begin();
  for (const int number : {SIGTERM, SIGUSR1, SIGQUIT, SIGHUP}) story.feed(Signalled{number});
  EXPECT_EQ(story.sent<SignalTasks>(0).size(), 4U);
  EXPECT_FALSE(story.session().is_over());
}

// A signal in the moment in which the step starts was lost, and the tasks ran on.
TEST(StepSession, SignalsTheTasksOfANodeThatJoinsLate) {
  Story story({});
  story.shown(JobState::Running);
  story.join(0);
  story.feed(Signalled{SIGTERM});
  story.join(1);
  EXPECT_EQ(story.sent<SignalTasks>(0).size(), 1U);
  ASSERT_EQ(story.sent<SignalTasks>(1).size(), 1U);
  EXPECT_EQ(story.sent<SignalTasks>(1)[0].signal, SIGTERM);
}

// ---- terminals -------------------------------------------------------------------------------

TEST(StepSession, ConnectsItsTerminalToTaskZero) {
  Story story({"--pty", "-l"});
  story.feed(Resized{24, 80});
  story.shown(JobState::Running);
  story.join(0);
  story.join(1);
  const StepBegin begin = story.sent<StepBegin>(0)[0];
  EXPECT_EQ(begin.pty_rank, 0);
  EXPECT_EQ(begin.rows, 24);
  EXPECT_EQ(begin.output.mode, StreamMode::Null);  // only task 0 has the terminal
  story.feed(InputRead{"\x03"});
  EXPECT_EQ(story.sent<InputBytes>(0).size(), 1U);
  EXPECT_TRUE(story.sent<InputBytes>(1).empty());
  story.output(0, "$ ");
  EXPECT_EQ(story.out, "$ ");  // output of a terminal gets no task labels
  story.feed(Resized{50, 132});
  EXPECT_EQ(story.sent<WindowSize>(0)[0].columns, 132);
}

// The controller reports the end before the last output of n2 has arrived.
TEST(StepSession, WaitsForTheLastOutputOfEachNodeAndReportsItsLoss) {
  Story story({});
  story.begin();
  story.deliver(0, StepLeft{});
  story.shown(JobState::Completed);
  story.pass(20'000);
  EXPECT_FALSE(story.session().is_over());
  story.output(2, "late\n");
  EXPECT_EQ(story.out, "late\n");
  story.pass(20'000);
  EXPECT_TRUE(story.session().is_over());
  EXPECT_EQ(story.words, "srun: error: the last output of the tasks on n2 is lost\n");
  EXPECT_EQ(story.session().exit_code(), 1);
}

// How a step of which the controller knows no more has ended, only its nodes can tell.
TEST(StepSession, AStepThatTheControllerNoLongerHasIsNotTakenForASuccess) {
  Story story({});
  story.begin();
  story.feed(Denied{{"there is no step 12.0", ""}, false});
  EXPECT_FALSE(story.session().is_over());
  story.end(0, 0), story.end(1, 0);
  story.deliver(0, StepLeft{});
  story.pass(StepSession::node_wait.count());
  EXPECT_TRUE(story.session().is_over());
  EXPECT_EQ(story.session().exit_code(), 1) << "n2 has told nothing";
}

// The node of a stopped step ends its step daemon 5 s after the tasks, at the latest.
TEST(StepSession, WaitsForTheLastOutputOfAStoppedStepOnlyForAShortTime) {
  Story story({});
  story.begin();
  story.deliver(0, StepLeft{});
  story.asked_to_stop = true;
  story.shown(JobState::Failed);
  story.pass(StepSession::leave_wait.count() - 1);
  EXPECT_FALSE(story.session().is_over());
  story.pass(1);
  EXPECT_TRUE(story.session().is_over());
  EXPECT_EQ(story.words, "srun: error: the last output of the tasks on n2 is lost\n");
}

}  // namespace
}  // namespace cox
