// Tests what a supervisor does about the steps of srun in its attempt on one node.
#include <signal.h>

#include <algorithm>

#include "common/base/limits.h"
#include "tests/worker/supervision_story.h"

namespace cox {
namespace {

using Story = SupervisionStory;

StepOrdered asked(std::int32_t number) {
  StepOrdered step;
  step.launch.number = number;
  step.launch.ranks = {0};
  return step;
}

StepReported gone(std::int32_t number, std::int32_t exit_code) {
  StepReported said;
  said.status.number = number;
  said.status.phase = StepPhase::Gone;
  said.status.exit_code = exit_code;
  return said;
}

// Returns the launch of a batch job on two nodes as node `node` gets it. Node 0 runs the script.
LaunchSpec batch(std::int32_t node) {
  LaunchSpec launch = gang_launch(2, 1);
  launch.spec.form = JobForm::Batch;
  launch.node_index = node;
  return launch;
}

TEST(SupervisionSteps, AStepIsStartedOnceAndForgottenWhenItsEndIsAcknowledged) {
  Story story(batch(0));
  story.run_ranks();
  story.on(asked(0)).on(asked(0));
  EXPECT_EQ(story.take<BeginStep>().launch.number, 0);
  story.take<Publish>();
  story.on(gone(0, 3));
  story.take<Publish>();
  ASSERT_EQ(story.status().steps.size(), 1u);
  EXPECT_EQ(story.status().steps[0].exit_code, 3);
  const std::int64_t reported_in = story.status().revision;
  story.on(Acknowledged{reported_in - 1});
  EXPECT_EQ(story.status().steps.size(), 1u) << "that revision does not have the end";
  story.on(Acknowledged{reported_in});
  EXPECT_TRUE(story.status().steps.empty());
  EXPECT_EQ(story.status().revision, reported_in) << "an acknowledged end is no new revision";
  story.on(asked(0));  // a late copy
}

// If a script starts steps, their tasks report saves themselves, so exit code 75 of the script
// reports none.
TEST(SupervisionSteps, ExitCode75OfAScriptWithStepsReportsNoSave) {
  const auto asks_to_seal = [](const Action& action) {
    return std::holds_alternative<Seal>(action);
  };
  Story alone(batch(0));
  alone.run_ranks().on(RankExited{0, exit_code_saved, 0});
  EXPECT_TRUE(std::ranges::any_of(alone.actions, asks_to_seal)) << "the script itself saved";
  alone.skip();
  Story story(batch(0));
  story.run_ranks().on(asked(0)).on(gone(0, exit_code_saved));
  story.on(RankExited{0, exit_code_saved, 0});
  EXPECT_TRUE(std::ranges::none_of(story.actions, asks_to_seal));
  story.skip();
}

TEST(SupervisionSteps, AStepRequestedBeforeTheJobStartsIsStartedWhenTheRequestIsRepeated) {
  Story story(batch(0));
  story.on(asked(0));
  EXPECT_TRUE(story.status().steps.empty());
  story.run_ranks();
  story.on(asked(0));
  EXPECT_EQ(story.take<BeginStep>().launch.number, 0);
  story.skip();
}

TEST(SupervisionSteps, StepsGetTheSignalToSaveAndTheScriptOnlyIfItHasNoSteps) {
  LaunchSpec launch = batch(0);
  launch.spec.signal.number = SIGUSR2;
  Story with(launch);
  with.run_ranks();
  with.on(asked(0)).skip();
  with.on(StopOrdered{preempt(5'000)});
  with.take<WriteReason>();
  const SignalSteps asking = with.take<SignalSteps>();
  EXPECT_EQ(asking.signals, std::vector<std::int32_t>{SIGUSR2});
  EXPECT_FALSE(asking.whole_group) << "only the tasks";
  with.take<Publish>();
  with.wait_until(6'000);
  EXPECT_EQ(with.take<SignalRanks>().signals.back(), SIGTERM);
  const SignalSteps ending = with.take<SignalSteps>();
  EXPECT_EQ(ending.signals.back(), SIGTERM);
  EXPECT_TRUE(ending.whole_group);

  LaunchSpec saving = launch;
  saving.spec.checkpoint_signal = SIGUSR1;
  Story without(saving);
  without.run_ranks();
  without.on(StopOrdered{preempt(5'000)});
  without.take<WriteReason>();
  const SignalRanks script = without.take<SignalRanks>();
  EXPECT_EQ(script.signals, std::vector<std::int32_t>{SIGUSR1});
  EXPECT_FALSE(script.whole_group) << "only the shell";
  without.take<Publish>();

  launch.spec.signal.batch_only = true;
  Story shell(launch);
  shell.run_ranks();
  shell.on(asked(0)).skip();
  shell.on(StopOrdered{preempt(5'000)});
  shell.take<WriteReason>();
  EXPECT_FALSE(shell.take<SignalRanks>().whole_group) << "B: means only the shell";
  shell.take<Publish>();
}

TEST(SupervisionSteps, ASignalWithoutTheOptionBIsNeverSentToTheScript) {
  LaunchSpec launch = batch(0);
  launch.spec.signal.number = SIGUSR2;
  Story limited(launch);
  limited.run_ranks();
  StopOrder order = preempt(5'000);
  order.why = StopWhy::TimeLimit;
  limited.on(StopOrdered{order});
  limited.take<WriteReason>();
  limited.take<Publish>();

  Story preempted(launch);
  preempted.run_ranks();
  preempted.on(StopOrdered{preempt(5'000)});
  preempted.take<WriteReason>();
  const SignalRanks ended = preempted.take<SignalRanks>();
  EXPECT_EQ(ended.signals, (std::vector<std::int32_t>{SIGCONT, SIGTERM}));
  EXPECT_TRUE(ended.whole_group);
  preempted.take<Publish>();
}

TEST(SupervisionSteps, ANodeWithoutRanksEndsWhenItsStepsAreGone) {
  Story story(batch(1));
  story.run_ranks();
  story.on(asked(0)).on(asked(1)).skip();
  story.on(gone(0, 0)).on(gone(0, 0)).skip();
  story.on(StopOrdered{preempt(5'000)});
  story.take<WriteReason>();
  story.take<SignalSteps>();
  story.take<Publish>();
  story.on(gone(1, 0));
  story.take<Publish>();
  story.on(gone(1, 0));
  story.take<KillEverything>();
  story.on(Emptied{});
  story.take<AbandonFileWork>();
  story.take<Publish>();
  story.take<Finish>();
  EXPECT_EQ(story.status().phase, NodePhase::Gone);
}

TEST(SupervisionSteps, StepsAreAskedToEndWhenTheScriptEnds) {
  Story story(batch(0));
  story.run_ranks();
  story.on(asked(0)).on(asked(1)).on(gone(0, 0)).on(gone(0, 0)).skip();
  story.on(RankExited{0, 0, 0});
  EXPECT_EQ(story.take<EndStep>().number, 1);
  story.take<Publish>();
  story.on(asked(2));
  story.take<Publish>();
  EXPECT_EQ(story.status().steps.at(2).note, "its job is ending");
  story.on(StopOrdered{{StopWhy::JobEnded, false, 0, 1'000, ""}});  // the controller's reply
  story.take<WriteReason>();
  story.take<Publish>();
  story.on(gone(1, 0));
  story.take<Publish>();
  story.on(gone(1, 0));
  story.take<KillEverything>();
  story.on(Emptied{}).skip();
  EXPECT_EQ(story.status().steps.at(1).exit_signal, 0) << "it had time to end";
}

TEST(SupervisionSteps, AStepIsNotKilledBecauseTheSignalEndedTheScriptAtOnce) {
  Story story(batch(0));
  story.run_ranks();
  story.on(asked(0)).skip();
  story.on(StopOrdered{cancel()});
  story.take<WriteReason>();
  story.take<SignalRanks>();
  EXPECT_EQ(story.take<SignalSteps>().signals.back(), SIGTERM);
  story.take<Publish>();
  story.on(RankExited{0, 0, SIGTERM});
  story.take<Publish>();
  story.on(gone(0, 0));
  story.take<Publish>();
  story.on(gone(0, 0));
  story.take<KillEverything>();
}

TEST(SupervisionSteps, AStepThatDoesNotEndAfterItsScriptIsKilled) {
  LaunchSpec launch = batch(0);
  launch.kill_wait_ms = 2'000;
  Story story(launch);
  story.run_ranks();
  story.on(asked(0)).skip();
  story.on(RankExited{0, 0, 0});
  story.take<EndStep>();
  story.take<Publish>();
  story.wait_until(2'999);
  story.wait_until(3'000);
  story.take<KillEverything>();
  story.on(Emptied{}).skip();
  ASSERT_EQ(story.status().steps.size(), 1u);
  EXPECT_EQ(story.status().steps[0].phase, StepPhase::Gone);
  EXPECT_EQ(story.status().steps[0].exit_signal, SIGKILL);
}

TEST(SupervisionSteps, StepsThatGotNoSignalEndWithTheScriptThatGotIt) {
  LaunchSpec launch = batch(0);
  launch.spec.signal.number = SIGUSR1;
  launch.spec.signal.batch_only = true;
  Story story(launch);
  story.run_ranks();
  story.on(asked(0)).skip();
  story.on(StopOrdered{preempt(600'000)});
  story.take<WriteReason>();
  story.take<SignalRanks>();
  story.take<Publish>();
  story.on(RankExited{0, 0, 0});
  EXPECT_EQ(story.take<EndStep>().number, 0) << "it does not wait for the grace time of 10 min";
  story.take<Publish>();
  story.wait_until(story.ms + preempt(0).kill_wait_ms);
  story.take<KillEverything>();
  story.on(Emptied{}).skip();
}

TEST(SupervisionSteps, AStepRequestedTooLateIsGoneAtOnce) {
  Story story(batch(0));
  story.run_ranks();
  story.on(StopOrdered{cancel()}).skip();
  story.on(asked(0));
  story.take<Publish>();
  EXPECT_EQ(story.status().steps.at(0).note, "its job is ending");
}

TEST(SupervisionSteps, FiguresOfTheUsersStepDaemonAreBounded) {
  Story story(batch(0));
  story.run_ranks().on(asked(0)).skip();
  StepReported end = gone(0, 0);
  end.status.usage.user_cpu_ms = std::numeric_limits<std::int64_t>::max();
  end.status.figures.read_bytes = -7;
  story.on(end).skip();
  const StepStatus& step = story.status().steps.at(0);
  EXPECT_LT(step.usage.user_cpu_ms,
            std::numeric_limits<std::int64_t>::max() / limits::nodes_per_job_max);
  EXPECT_EQ(step.figures.read_bytes, 0);
}

TEST(SupervisionSteps, AStepStoppedBeforeItsRequestNeverStarts) {
  Story story(batch(0));
  story.run_ranks();
  story.on(StepStopOrdered{5});
  story.take<Publish>();
  ASSERT_EQ(story.status().steps.size(), 1u);
  EXPECT_EQ(story.status().steps[0].number, 5);
  EXPECT_EQ(story.status().steps[0].phase, StepPhase::Gone);
  EXPECT_EQ(story.status().steps[0].exit_signal, SIGKILL);
  story.on(StepStopOrdered{5});  // repeated
  story.on(asked(5));            // a late request
  story.on(Acknowledged{story.status().revision});
  EXPECT_TRUE(story.status().steps.empty());
  story.on(StepStopOrdered{5}).on(asked(5));
  EXPECT_TRUE(story.status().steps.empty()) << "its end was acknowledged";
}

TEST(SupervisionSteps, NoStepStartsWhileTheAttemptIsSuspended) {
  Story story(batch(0));
  story.run_ranks();
  story.on(SuspensionOrdered{{1, true}}).on(Frozen{1}).skip();
  story.on(asked(0)).on(asked(1));
  story.take<Publish>();
  story.take<Publish>();
  story.on(StepStopOrdered{1});
  story.take<Publish>();
  EXPECT_EQ(story.status().steps.at(1).phase, StepPhase::Gone);
  story.on(SuspensionOrdered{{2, false}});
  story.take<ThawEverything>();
  EXPECT_EQ(story.take<BeginStep>().launch.number, 0);
  story.take<Publish>();
}

TEST(SupervisionSteps, ALostStepDaemonEndsAllSteps) {
  Story story(batch(1));
  story.run_ranks();
  story.on(asked(0)).on(asked(1)).skip();
  story.on(StepdLost{});
  story.take<Publish>();
  for (const StepStatus& step : story.status().steps) {
    EXPECT_EQ(step.phase, StepPhase::Gone);
    EXPECT_TRUE(step.daemon_lost);
  }
  story.on(asked(2));
  story.take<BeginStep>();
  story.take<Publish>();
}

TEST(SupervisionSteps, ASignalGoesToTheStepsTheScriptOrBothAsRequested) {
  Story story(batch(0));
  story.run_ranks();
  story.on(asked(0)).skip();
  story.on(SignalOrdered{SIGUSR1, -1, true, false, false});
  EXPECT_EQ(story.take<SignalSteps>().number, -1);
  story.on(SignalOrdered{SIGUSR1, -1, false, true, false});
  EXPECT_FALSE(story.take<SignalRanks>().whole_group);
  story.on(SignalOrdered{SIGUSR1, 0, true, true, true});
  EXPECT_EQ(story.take<SignalSteps>().number, 0);
  EXPECT_TRUE(story.take<SignalRanks>().whole_group);
}

// Two running steps with two tasks each on this node. Each task reports its saves.
class SavingSteps : public testing::Test {
 protected:
  explicit SavingSteps(CheckpointBy by = CheckpointBy::AllRanks) : story(launch(by)) {
    story.run_ranks();
    StepOrdered step = asked(0);
    step.launch.ranks = {0, 1};
    story.on(step);
    step.launch.number = 1;
    story.on(step).skip();
  }
  static LaunchSpec launch(CheckpointBy by) {
    LaunchSpec launch = batch(0);
    launch.spec.checkpoint_by = by;
    launch.job_checkpoint_dir = "/checkpoints/17";
    return launch;
  }
  void save(std::int32_t rank, std::int64_t step, std::int64_t bytes) {
    story.on(SaveRequested{{0, rank}, step, 7});
    const Seal seal = story.take<Seal>();
    story.on(Sealed{seal.number, SavedStep{step, bytes, 1}, {}}).skip();
  }
  const std::vector<SavedStep>& saved(std::size_t step = 0) {
    return story.status().steps.at(step).saved;
  }
  std::string refusal(const Saver& saver, std::int64_t step) {
    story.on(SaveRequested{saver, step, 9});
    const auto why = story.take<AnswerSave>().refused;
    return why ? why->fact : "";
  }
  Story story;
};

TEST_F(SavingSteps, ACheckpointIsReportedWhenAllTasksOfTheNodeHaveSaved) {
  save(0, 5, 100);
  EXPECT_TRUE(saved().empty());
  save(1, 5, 20);
  EXPECT_EQ(saved(), (std::vector<SavedStep>{{5, 120, 2}}));
  EXPECT_TRUE(saved(1).empty());
  EXPECT_TRUE(story.status().ranks.at(0).saved.empty()) << "the script itself saved nothing";
  StepReported running;
  running.status.number = 0;
  running.status.exit_code = 1;
  story.on(running).skip();
  EXPECT_EQ(saved().size(), 1u) << "a status of the step daemon does not remove the save";
}

TEST_F(SavingSteps, AJobStepCannotSaveAgainWhatAnotherJobStepHasSaved) {
  save(0, 5, 100);
  EXPECT_EQ(refusal({-1, 0}, 5), "step 5 was already saved by rank 0 of job step 0");
  EXPECT_EQ(refusal({0, 0}, 4), "step 4 comes after step 5, which is already saved");
  EXPECT_EQ(refusal({0, 3}, 6), "rank 3 of job step 0 does not run on this node");
  EXPECT_EQ(refusal({2, 0}, 6), "rank 0 of job step 2 does not run on this node");
  story.on(gone(0, 0)).on(asked(2)).skip();
  EXPECT_EQ(refusal({0, 0}, 6), "rank 0 of job step 0 is not running");
  EXPECT_EQ(refusal({2, 0}, 5), "step 5 was already saved by rank 0 of job step 0");
}

class OneSavesForAll : public SavingSteps {
 protected:
  OneSavesForAll() : SavingSteps(CheckpointBy::Rank0) {}
};

TEST_F(OneSavesForAll, OnlyTheSaveOfRank0Counts) {
  save(0, 5, 100);
  EXPECT_EQ(saved(), (std::vector<SavedStep>{{5, 100, 1}}));
  EXPECT_EQ(refusal({0, 1}, 6), "") << "the other ranks get a success";
}

TEST(SupervisionSteps, NotesOfManyStepsAreBounded) {
  constexpr std::int32_t steps = 1'200;
  Story story(batch(0));
  story.run_ranks();
  for (std::int32_t number = 0; number < steps; ++number) {
    StepReported said = gone(number, 1);
    said.status.note = std::string(10'000, 'x');
    story.on(asked(number)).on(said);
  }
  story.skip();
  const std::vector<StepStatus>& reported = story.status().steps;
  ASSERT_EQ(reported.size(), static_cast<std::size_t>(steps));
  EXPECT_EQ(reported.front().note, "");
  EXPECT_EQ(reported.back().note.size(), limits::reason_bytes_max);
  std::size_t bytes = 0;
  for (const StepStatus& step : reported) bytes += step.note.size();
  EXPECT_EQ(bytes, std::size_t{1} << 20);
}

// A supervisor numbers its statuses (revisions). Once the controller has acknowledged the revision
// that reported a step's end, the supervisor forgets the step.
TEST(SupervisionSteps, AStepIsForgottenWhenTheRevisionWithItsEndIsAcknowledged) {
  Story story(batch(0));
  story.run_ranks();
  for (const std::int32_t number : {0, 1, 2}) story.on(asked(number));
  const auto numbers = [&] {
    std::vector<std::int32_t> all;
    for (const StepStatus& step : story.status().steps) all.push_back(step.number);
    return all;
  };
  story.on(gone(1, 0));
  const std::int64_t first_end = story.status().revision;
  story.on(gone(0, 0));
  ASSERT_EQ(story.status().revision, first_end + 1);
  story.on(Acknowledged{first_end - 1});
  EXPECT_EQ(numbers(), (std::vector{0, 1, 2}));
  story.on(Acknowledged{first_end});
  EXPECT_EQ(numbers(), (std::vector{0, 2}));
  story.on(Acknowledged{first_end + 1});
  EXPECT_EQ(numbers(), std::vector{2}) << "step 2 is running";
  story.on(Acknowledged{first_end + 100});
  EXPECT_EQ(numbers(), std::vector{2});
  story.skip();
}

// The supervisor remembers the numbers of forgotten steps, so that a late launch does not start one
// of them again.
TEST(SupervisionSteps, TheNumbersOfTheNewest4096ForgottenStepsAreRemembered) {
  constexpr std::int32_t remembered = 4'096;
  Story story(batch(0));
  story.run_ranks();
  const auto end_and_forget = [&](std::int32_t number) {
    story.on(StepStopOrdered{number}).on(Acknowledged{story.status().revision}).skip();
  };
  for (std::int32_t number = 0; number < remembered; ++number) end_and_forget(number);
  story.on(asked(0)).on(StepStopOrdered{0});
  EXPECT_TRUE(story.status().steps.empty()) << "all forgotten numbers are remembered";
  end_and_forget(remembered);
  story.on(asked(1));
  EXPECT_TRUE(story.status().steps.empty());
  story.on(asked(0));
  EXPECT_EQ(story.status().steps.size(), 1U) << "the lowest number is forgotten first";
  story.skip();
}

TEST(SupervisionSteps, AStoppedStepIsRunningUntilTheStepDaemonReportsTheEnd) {
  Story story(batch(0));
  story.run_ranks();
  story.on(asked(3));
  story.skip();
  story.on(StepStopOrdered{3});
  EXPECT_EQ(story.take<EndStep>().number, 3);
  EXPECT_EQ(story.status().steps.at(0).phase, StepPhase::Running)
      << "until the step daemon reports the end";
  story.on(gone(3, 0));
  story.skip();
  story.on(StepStopOrdered{3});  // ignored, since the step has ended
}

// When the step daemon dies, its steps end. A step without an exit code or signal of its own counts
// as killed.
TEST(SupervisionSteps, StepsKeepTheirOwnCodeAndNoteWhenTheStepDaemonIsLost) {
  Story story(batch(0));
  story.run_ranks();
  for (const std::int32_t number : {0, 1, 2}) story.on(asked(number));
  StepReported said;
  said.status.number = 1;
  said.status.exit_code = 5;
  said.status.note = "its own";
  story.on(said);
  said.status.number = 2;
  said.status.exit_code = 0;
  said.status.exit_signal = SIGTERM;
  story.on(said).on(StepdLost{});
  const std::vector<StepStatus>& steps = story.status().steps;
  ASSERT_EQ(steps.size(), 3U);
  EXPECT_EQ(steps[0].exit_signal, SIGKILL);
  EXPECT_EQ(steps[0].note, "the step daemon of this node was lost");
  EXPECT_EQ(steps[1].exit_code, 5);
  EXPECT_EQ(steps[1].exit_signal, 0);
  EXPECT_EQ(steps[1].note, "its own");
  EXPECT_EQ(steps[2].exit_signal, SIGTERM);
  for (const StepStatus& step : steps) EXPECT_EQ(step.phase, StepPhase::Gone);
  story.skip();
}

}  // namespace
}  // namespace cox
