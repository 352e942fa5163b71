// Steps of an attempt on one node, as its supervisor sees them.
#include <signal.h>

#include <algorithm>

#include "common/base/limits.h"
#include "tests/worker/supervision_story.h"

namespace cox {
namespace {

using Story = SupervisionStory;

StepAsked asked(std::int32_t number) {
  StepAsked step;
  step.launch.number = number;
  step.launch.ranks = {0};
  return step;
}

StepSaid gone(std::int32_t number, std::int32_t exit_code) {
  StepSaid said;
  said.status.number = number;
  said.status.phase = StepPhase::Gone;
  said.status.exit_code = exit_code;
  return said;
}

// A batch script on the first of two nodes, and the other one.
LaunchSpec batch(std::int32_t node) {
  LaunchSpec launch = gang_launch(2, 1);
  launch.spec.form = JobForm::Batch;
  launch.node_index = node;
  return launch;
}

TEST(SupervisionSteps, AStepIsBegunOnceAndForgottenWhenItsEndIsKnown) {
  Story story(batch(0));
  story.run_ranks();
  story.on(asked(0)).on(asked(0));
  EXPECT_EQ(story.take<BeginStep>().launch.number, 0);
  story.take<Publish>();
  story.on(gone(0, 3));
  story.take<Publish>();
  ASSERT_EQ(story.status().steps.size(), 1u);
  EXPECT_EQ(story.status().steps[0].exit_code, 3);
  const std::int64_t told_in = story.status().revision;
  story.on(Acknowledged{told_in - 1});
  EXPECT_EQ(story.status().steps.size(), 1u) << "that was before it ended";
  story.on(Acknowledged{told_in});
  EXPECT_TRUE(story.status().steps.empty());
  EXPECT_EQ(story.status().revision, told_in) << "what is known is no news";
  story.on(asked(0));  // on the way since it was begun
}

// The tasks of its step saved, or not: they report it themselves.
TEST(SupervisionSteps, ExitCode75OfAScriptThatHandsOnThatOfItsStepIsNoReport) {
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

TEST(SupervisionSteps, AStepThatIsFasterThanTheGoIsTakenWhenItIsSaidAgain) {
  Story story(batch(0));
  story.on(asked(0));
  EXPECT_TRUE(story.status().steps.empty());
  story.run_ranks();
  story.on(asked(0));
  EXPECT_EQ(story.take<BeginStep>().launch.number, 0);
  story.skip();
}

TEST(SupervisionSteps, TheStepsAreToldToSaveAndTheScriptOnlyWhereItHasNone) {
  LaunchSpec launch = batch(0);
  launch.spec.signal.number = SIGUSR2;
  Story with(launch);
  with.run_ranks();
  with.on(asked(0)).skip();
  with.on(StopAsked{preempt(5'000)});
  with.take<WriteReason>();
  const SignalSteps asking = with.take<SignalSteps>();
  EXPECT_EQ(asking.signals, std::vector<std::int32_t>{SIGUSR2});
  EXPECT_FALSE(asking.whole_group) << "the tasks alone";
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
  without.on(StopAsked{preempt(5'000)});
  without.take<WriteReason>();
  const SignalRanks script = without.take<SignalRanks>();
  EXPECT_EQ(script.signals, std::vector<std::int32_t>{SIGUSR1});
  EXPECT_FALSE(script.whole_group) << "the shell alone";
  without.take<Publish>();

  launch.spec.signal.batch_only = true;
  Story shell(launch);
  shell.run_ranks();
  shell.on(asked(0)).skip();
  shell.on(StopAsked{preempt(5'000)});
  shell.take<WriteReason>();
  EXPECT_FALSE(shell.take<SignalRanks>().whole_group) << "B: means the shell alone";
  shell.take<Publish>();
}

TEST(SupervisionSteps, ASignalWithoutBNeverGoesToTheShell) {
  LaunchSpec launch = batch(0);
  launch.spec.signal.number = SIGUSR2;
  Story limited(launch);
  limited.run_ranks();
  StopOrder order = preempt(5'000);
  order.why = StopWhy::TimeLimit;
  limited.on(StopAsked{order});
  limited.take<WriteReason>();
  limited.take<Publish>();

  Story preempted(launch);
  preempted.run_ranks();
  preempted.on(StopAsked{preempt(5'000)});
  preempted.take<WriteReason>();
  const SignalRanks ended = preempted.take<SignalRanks>();
  EXPECT_EQ(ended.signals, (std::vector<std::int32_t>{SIGCONT, SIGTERM}));
  EXPECT_TRUE(ended.whole_group);
  preempted.take<Publish>();
}

TEST(SupervisionSteps, WhereNoRankRunsTheEndIsWhenTheStepsAreGone) {
  Story story(batch(1));
  story.run_ranks();
  story.on(asked(0)).on(asked(1)).skip();
  story.on(gone(0, 0)).skip();
  story.on(StopAsked{preempt(5'000)});
  story.take<WriteReason>();
  story.take<SignalSteps>();
  story.take<Publish>();
  story.on(gone(1, 0));
  story.take<KillEverything>();
  story.take<Publish>();
  story.on(Emptied{});
  story.take<AbandonFileWork>();
  story.take<Publish>();
  story.take<Finish>();
  EXPECT_EQ(story.status().phase, NodePhase::Gone);
}

TEST(SupervisionSteps, AnEndOfTheScriptAsksItsStepsToEnd) {
  Story story(batch(0));
  story.run_ranks();
  story.on(asked(0)).on(asked(1)).on(gone(0, 0)).skip();
  story.on(RankExited{0, 0, 0});
  EXPECT_EQ(story.take<EndStep>().number, 1);
  story.take<Publish>();
  story.on(asked(2));
  story.take<Publish>();
  EXPECT_EQ(story.status().steps.at(2).note, "its job is ending");
  story.on(StopAsked{{StopWhy::JobEnded, false, 0, 1'000, ""}});  // as the controller answers
  story.take<WriteReason>();
  story.take<Publish>();
  story.on(gone(1, 0));
  story.take<KillEverything>();
  story.take<Publish>();
  story.on(Emptied{}).skip();
  EXPECT_EQ(story.status().steps.at(1).exit_signal, 0) << "it had the time to end";
}

TEST(SupervisionSteps, AStepGoesOnThoughTheSignalEndedTheScriptAtOnce) {
  Story story(batch(0));
  story.run_ranks();
  story.on(asked(0)).skip();
  story.on(StopAsked{cancel()});
  story.take<WriteReason>();
  story.take<SignalRanks>();
  EXPECT_EQ(story.take<SignalSteps>().signals.back(), SIGTERM);
  story.take<Publish>();
  story.on(RankExited{0, 0, SIGTERM});
  story.take<Publish>();
  story.on(gone(0, 0));
  story.take<KillEverything>();
  story.take<Publish>();
}

TEST(SupervisionSteps, AStepThatDoesNotEndBesideAnEndedScriptIsKilled) {
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

TEST(SupervisionSteps, OnesThatWereNotAskedToSaveEndWithTheScriptThatWas) {
  LaunchSpec launch = batch(0);
  launch.spec.signal.number = SIGUSR1;
  launch.spec.signal.batch_only = true;
  Story story(launch);
  story.run_ranks();
  story.on(asked(0)).skip();
  story.on(StopAsked{preempt(600'000)});
  story.take<WriteReason>();
  story.take<SignalRanks>();
  story.take<Publish>();
  story.on(RankExited{0, 0, 0});
  EXPECT_EQ(story.take<EndStep>().number, 0) << "not only after the grace of 10 min";
  story.take<Publish>();
  story.wait_until(story.ms + preempt(0).kill_wait_ms);
  story.take<KillEverything>();
  story.on(Emptied{}).skip();
}

TEST(SupervisionSteps, OneThatComesTooLateIsGoneAtOnce) {
  Story story(batch(0));
  story.run_ranks();
  story.on(StopAsked{cancel()}).skip();
  story.on(asked(0));
  story.take<Publish>();
  EXPECT_EQ(story.status().steps.at(0).note, "its job is ending");
}

TEST(SupervisionSteps, OneThatIsStoppedBeforeItIsAskedForNeverBegins) {
  Story story(batch(0));
  story.run_ranks();
  story.on(StepStopAsked{5});
  story.take<Publish>();
  ASSERT_EQ(story.status().steps.size(), 1u);
  EXPECT_EQ(story.status().steps[0].number, 5);
  EXPECT_EQ(story.status().steps[0].phase, StepPhase::Gone);
  EXPECT_EQ(story.status().steps[0].exit_signal, SIGKILL);
  story.on(StepStopAsked{5});  // repeated
  story.on(asked(5));          // and late
  story.on(Acknowledged{story.status().revision});
  EXPECT_TRUE(story.status().steps.empty());
  story.on(StepStopAsked{5}).on(asked(5));
  EXPECT_TRUE(story.status().steps.empty()) << "its end is known";
}

TEST(SupervisionSteps, WhileItStandsStillNoStepBegins) {
  Story story(batch(0));
  story.run_ranks();
  story.on(SuspendAsked{{1, true}}).on(Frozen{1}).skip();
  story.on(asked(0)).on(asked(1));
  story.take<Publish>();
  story.take<Publish>();
  story.on(StepStopAsked{1});
  story.take<Publish>();
  EXPECT_EQ(story.status().steps.at(1).phase, StepPhase::Gone);
  story.on(SuspendAsked{{2, false}});
  story.take<ThawEverything>();
  EXPECT_EQ(story.take<BeginStep>().launch.number, 0);
  story.take<Publish>();
}

TEST(SupervisionSteps, ALostDaemonEndsAllOfThem) {
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

TEST(SupervisionSteps, SignalsGoToTheStepsOrToTheScript) {
  Story story(batch(0));
  story.run_ranks();
  story.on(asked(0)).skip();
  story.on(SignalAsked{SIGUSR1, -1, true, false, false});
  EXPECT_EQ(story.take<SignalSteps>().number, -1);
  story.on(SignalAsked{SIGUSR1, -1, false, true, false});
  EXPECT_FALSE(story.take<SignalRanks>().whole_group);
  story.on(SignalAsked{SIGUSR1, 0, true, true, true});
  EXPECT_EQ(story.take<SignalSteps>().number, 0);
  EXPECT_TRUE(story.take<SignalRanks>().whole_group);
}

// A step of two tasks here, each of which says what it has saved.
class SavingSteps : public testing::Test {
 protected:
  explicit SavingSteps(CheckpointBy by = CheckpointBy::AllRanks) : story(launch(by)) {
    story.run_ranks();
    StepAsked step = asked(0);
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
    story.on(SaveAsked{{0, rank}, step, 7});
    const Seal seal = story.take<Seal>();
    story.on(Sealed{seal.number, SavedStep{step, bytes, 1}, {}}).skip();
  }
  const std::vector<SavedStep>& saved(std::size_t step = 0) {
    return story.status().steps.at(step).saved;
  }
  std::string refusal(const Saver& saver, std::int64_t step) {
    story.on(SaveAsked{saver, step, 9});
    const auto why = story.take<AnswerSave>().refused;
    return why ? why->fact : "";
  }
  Story story;
};

TEST_F(SavingSteps, AreToldOnceAllTasksHereHaveSaved) {
  save(0, 5, 100);
  EXPECT_TRUE(saved().empty());
  save(1, 5, 20);
  EXPECT_EQ(saved(), (std::vector<SavedStep>{{5, 120, 2}}));
  EXPECT_TRUE(saved(1).empty());
  EXPECT_TRUE(story.status().ranks.at(0).saved.empty()) << "the script has saved nothing";
  StepSaid running;
  running.status.number = 0;
  running.status.exit_code = 1;
  story.on(running).skip();
  EXPECT_EQ(saved().size(), 1u) << "what the step daemon says takes nothing of it away";
}

TEST_F(SavingSteps, DoNotWriteOverEachOther) {
  save(0, 5, 100);
  EXPECT_EQ(refusal({1, 0}, 5), "step 5 was saved by rank 0 of job step 0 already");
  EXPECT_EQ(refusal({-1, 0}, 5), "step 5 was saved by rank 0 of job step 0 already");
  EXPECT_EQ(refusal({0, 0}, 4), "step 4 comes after step 5, which is already saved");
  EXPECT_EQ(refusal({0, 3}, 6), "rank 3 of job step 0 does not run on this node");
  EXPECT_EQ(refusal({2, 0}, 6), "rank 0 of job step 2 does not run on this node");
  story.on(gone(0, 0)).skip();
  EXPECT_EQ(refusal({0, 0}, 6), "rank 0 of job step 0 is not running");
}

class OneSavesForAll : public SavingSteps {
 protected:
  OneSavesForAll() : SavingSteps(CheckpointBy::Rank0) {}
};

TEST_F(OneSavesForAll, ItsWordIsEnough) {
  save(0, 5, 100);
  EXPECT_EQ(saved(), (std::vector<SavedStep>{{5, 100, 1}}));
  EXPECT_EQ(refusal({0, 1}, 6), "") << "the others are told that it is well";
}

TEST(SupervisionSteps, WhatIsSaidOfManyStepsIsBounded) {
  constexpr std::int32_t steps = 1'200;
  Story story(batch(0));
  story.run_ranks();
  for (std::int32_t number = 0; number < steps; ++number) {
    StepSaid said = gone(number, 1);
    said.status.note = std::string(10'000, 'x');
    story.on(asked(number)).on(said);
  }
  story.skip();
  const std::vector<StepStatus>& told = story.status().steps;
  ASSERT_EQ(told.size(), static_cast<std::size_t>(steps));
  EXPECT_EQ(told.front().note, "");
  EXPECT_EQ(told.back().note.size(), limits::reason_bytes_max);
  std::size_t bytes = 0;
  for (const StepStatus& step : told) bytes += step.note.size();
  EXPECT_EQ(bytes, std::size_t{1} << 20);
}

// Which ends are known is a matter of the revision that told of each.
TEST(SupervisionSteps, EachIsForgottenFromTheRevisionThatToldOfItsEnd) {
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
  EXPECT_EQ(numbers(), std::vector{2}) << "step 2 runs";
  story.on(Acknowledged{first_end + 100});
  EXPECT_EQ(numbers(), std::vector{2});
  story.skip();
}

// Numbers of forgotten steps are remembered, so that a late launch begins none of them again.
TEST(SupervisionSteps, TheNewest4096ForgottenNumbersAreRemembered) {
  constexpr std::int32_t remembered = 4'096;
  Story story(batch(0));
  story.run_ranks();
  const auto end_and_forget = [&](std::int32_t number) {
    story.on(StepStopAsked{number}).on(Acknowledged{story.status().revision}).skip();
  };
  for (std::int32_t number = 0; number < remembered; ++number) end_and_forget(number);
  story.on(asked(0)).on(StepStopAsked{0});
  EXPECT_TRUE(story.status().steps.empty()) << "all of them are remembered";
  end_and_forget(remembered);
  story.on(asked(1));
  EXPECT_TRUE(story.status().steps.empty());
  story.on(asked(0));
  EXPECT_EQ(story.status().steps.size(), 1U) << "the lowest number is forgotten first";
  story.skip();
}

TEST(SupervisionSteps, AStepThatRunsIsEndedByTheStepDaemon) {
  Story story(batch(0));
  story.run_ranks();
  story.on(asked(3));
  story.skip();
  story.on(StepStopAsked{3});
  EXPECT_EQ(story.take<EndStep>().number, 3);
  EXPECT_EQ(story.status().steps.at(0).phase, StepPhase::Running) << "until the daemon says so";
  story.on(gone(3, 0));
  story.skip();
  story.on(StepStopAsked{3});  // and then there is nothing to end
}

// A step that ended with neither a code nor a signal was killed with everything else.
TEST(SupervisionSteps, ThoseThatAreEndedWithTheRestKeepTheirOwnCodeAndNote) {
  Story story(batch(0));
  story.run_ranks();
  for (const std::int32_t number : {0, 1, 2}) story.on(asked(number));
  StepSaid said;
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
