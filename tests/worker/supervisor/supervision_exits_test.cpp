// Tests what the exit of a rank proves: whether it had been asked to stop, and whether it has
// saved.
#include <gtest/gtest.h>
#include <signal.h>

#include "tests/worker/supervision_story.h"

namespace cox {
namespace {

using Story = SupervisionStory;

LaunchSpec saving_launch() {
  LaunchSpec launch = gang_launch(1, 2);
  launch.job_checkpoint_dir = "/checkpoints/17";
  return launch;
}

SavedStep saved_step(std::int64_t step) {
  return SavedStep{step, 100, 2, false};
}

// SIGTERM may have interrupted the save, and nobody can tell from the exit code.
TEST(SupervisionExits, AfterSigtermExitCode75DoesNotMakeACheckpoint) {
  Story story(saving_launch());
  story.run_ranks().on(StopOrdered{preempt(5'000)}).skip();
  story.wait_until(6'000).skip();
  story.on(RankExited{0, exit_code_saved, 0, false}).skip();
  EXPECT_EQ(story.status().ranks[0].phase, RankPhase::Exited);
  EXPECT_TRUE(story.status().ranks[0].saved.empty());
  EXPECT_EQ(story.status().note,
            "rank 0 exited with 75 after SIGTERM and had not reported a save (`cox checkpoint "
            "done`), so what it saved last does not count");
}

TEST(SupervisionExits, ASaveByExitCodeAloneIsMarked) {
  Story story(saving_launch());
  story.run_ranks().on(RankExited{0, exit_code_saved, 0, false});
  story.on(Sealed{story.take<Seal>().number, saved_step(12), std::nullopt}).skip();
  const auto& saved = story.status().ranks[0].saved;
  ASSERT_EQ(saved.size(), 1u);
  EXPECT_TRUE(saved[0].by_exit);
}

// A thread of it may be writing the next one.
TEST(SupervisionExits, TheExitCodeOfARankThatReportsItsSavesMakesNoCheckpoint) {
  for (const bool is_sealed : {true, false}) {
    Story story(saving_launch());
    story.run_ranks().on(SaveRequested{{-1, 0}, 10, 1});
    const Sealed sealed{story.take<Seal>().number, saved_step(10), std::nullopt};
    if (is_sealed) story.on(sealed).skip();
    story.on(RankExited{0, exit_code_saved, 0, false});
    if (!is_sealed) story.on(sealed);
    story.skip();
    EXPECT_EQ(story.status().ranks[0].phase, RankPhase::Exited) << "no seal is waited for";
    const auto& saved = story.status().ranks[0].saved;
    ASSERT_EQ(saved.size(), 1u);
    EXPECT_FALSE(saved[0].by_exit);
  }
}

TEST(SupervisionExits, AnExitSaysWhetherTheSaveCouldBeRead) {
  const auto unknown = [](bool save_unknown) {
    Story story(saving_launch());
    story.run_ranks().on(RankExited{0, exit_code_saved, 0, false});
    const std::int64_t seal = story.take<Seal>().number;
    story.on(Sealed{seal, std::nullopt, Refusal{"step-7: ...", ""}, save_unknown}).skip();
    EXPECT_EQ(story.status().ranks[0].phase, RankPhase::Exited);
    return story.status().ranks[0].save_unknown;
  };
  EXPECT_TRUE(unknown(true)) << "an error of the file system";
  EXPECT_FALSE(unknown(false)) << "what it saved is no checkpoint";
}

TEST(SupervisionExits, AReportThatCannotBeReadLeavesTheSaveUnknownUntilOneCan) {
  Story story(saving_launch());
  story.run_ranks();
  const auto report = [&](std::int64_t step, std::optional<SavedStep> saved) {
    story.on(SaveRequested{{-1, 1}, step, 7});
    Sealed sealed{story.take<Seal>().number, saved, std::nullopt};
    if (!saved) sealed.refused = Refusal{"the folder is away", ""};
    sealed.save_unknown = sealed.may_retry = !saved;
    story.on(sealed);
    bool may_retry = false;
    for (const Action& action : story.actions)
      if (const auto* answer = std::get_if<AnswerSave>(&action)) may_retry = answer->may_retry;
    story.skip();
    return may_retry;
  };
  EXPECT_TRUE(report(10, std::nullopt));
  EXPECT_TRUE(report(10, std::nullopt));
  EXPECT_EQ(story.status().note, "rank 1: the folder is away") << "once";
  EXPECT_FALSE(story.status().ranks[0].save_unknown);
  EXPECT_TRUE(story.status().ranks[1].save_unknown);
  EXPECT_FALSE(report(10, saved_step(10)));
  EXPECT_FALSE(story.status().ranks[1].save_unknown);
}

// The script ends with the exit code of its srun.
TEST(SupervisionExits, AReportOfATaskThatCannotBeReadCountsForItsScript) {
  LaunchSpec launch = gang_launch(1, 1);
  launch.spec.form = JobForm::Batch;
  launch.job_checkpoint_dir = "/checkpoints/17";
  Story story(launch);
  story.run_ranks();
  StepOrdered step;
  step.launch.ranks = {0, 1};
  step.launch.tasks = 2;
  story.on(step).skip();
  const auto report = [&](std::int32_t task, std::int64_t saved, bool unknown) {
    story.on(SaveRequested{{0, task}, saved, 7});
    Sealed sealed{story.take<Seal>().number, saved_step(saved), std::nullopt, unknown};
    if (unknown) sealed.refused = Refusal{"the folder is away", ""};
    if (unknown) sealed.saved.reset();
    story.on(sealed).skip();
    return story.status().ranks[0].save_unknown;
  };
  EXPECT_TRUE(report(0, 10, true));
  EXPECT_TRUE(report(1, 10, false)) << "the other task's save says nothing about it";
  EXPECT_FALSE(report(0, 10, false));
}

TEST(SupervisionExits, ASealThatIsGivenUpLeavesTheSaveUnknown) {
  Story story(saving_launch());
  story.run_ranks().on(RankExited{0, exit_code_saved, 0, false}).skip();
  story.on(StopOrdered{preempt(0)}).skip();
  story.wait_until(1'000'000).skip();
  EXPECT_EQ(story.status().ranks[0].phase, RankPhase::Exited);
  EXPECT_TRUE(story.status().ranks[0].save_unknown);
}

TEST(SupervisionExits, AFailureOfARankThatCouldNotReachItsSupervisorIsAFaultOfTheNode) {
  const auto is_lost = [](RankExited exited, bool cut_off, bool asked) {
    Story story(gang_launch(1, 2));
    story.run_ranks();
    if (asked) story.on(StopOrdered{preempt(5'000)}).skip();
    exited.cut_off = cut_off;
    story.on(exited).skip();
    EXPECT_EQ(story.status().note.empty(), !story.status().supervisor_lost);
    return story.status().supervisor_lost;
  };
  EXPECT_TRUE(is_lost({1, 1, 0, false}, true, false));
  EXPECT_TRUE(is_lost({1, 0, SIGABRT, false}, true, false));
  EXPECT_FALSE(is_lost({1, 0, 0, false}, true, false)) << "it has not failed";
  EXPECT_FALSE(is_lost({1, 1, 0, false}, false, false)) << "its own failure";
  EXPECT_FALSE(is_lost({1, 1, 0, false}, true, true)) << "the stop decides what becomes of the job";
}

TEST(SupervisionExits, AnExitSaysWhetherTheRankHadBeenAskedToStop) {
  Story story(gang_launch(1, 2));
  story.run_ranks().on(RankExited{0, 0, 0, false}).skip();
  story.on(StopOrdered{preempt(5'000)}).skip();
  story.on(RankExited{1, 0, 0, false}).skip();
  EXPECT_EQ(story.status().ranks[0].asked_to_stop, false);
  EXPECT_EQ(story.status().ranks[1].asked_to_stop, true);
}

// The signal of --signal before the time limit is a warning, as in Slurm: the job may still end in
// time. SIGTERM at the limit is none, and a job that is requeued at its limit is asked to stop.
TEST(SupervisionExits, AWarningBeforeTheTimeLimitDoesNotAskToStop) {
  const auto asked = [](bool requeue_on_timeout, std::int64_t after_ms) {
    LaunchSpec launch = gang_launch(1, 1);
    launch.spec.signal = {SIGUSR1, 60};
    launch.spec.requeue_on_timeout = requeue_on_timeout;
    Story story(launch);
    story.run_ranks().on(StopOrdered{{StopWhy::TimeLimit, true, 60'000, 30'000, ""}}).skip();
    story.wait_until(1'000 + after_ms).skip();
    story.on(RankExited{0, 0, 0, false}).skip();
    return story.status().ranks[0].asked_to_stop;
  };
  EXPECT_EQ(asked(false, 59'000), false);
  EXPECT_EQ(asked(false, 60'000), true);
  EXPECT_EQ(asked(true, 59'000), true);
}

TEST(SupervisionExits, ATaskSaysThatTheJobIsFinished) {
  Story story(gang_launch(1, 1));
  story.on(Begun{}).on(FinishReported{4}).skip();
  EXPECT_FALSE(story.status().finished) << "no rank runs yet";
  Story running(gang_launch(1, 1));
  running.run_ranks().on(FinishReported{5});
  running.take<Publish>();
  EXPECT_EQ(running.take<AnswerSave>().token, 5) << "once the report is on disk";
  EXPECT_TRUE(running.status().finished);
}

// A script may run two programs, each of which says at its end that its own work is done.
TEST(SupervisionExits, AJobThatSavesALaterStepIsNotFinishedAnyMore) {
  Story story(saving_launch());
  story.run_ranks();
  const auto save = [&](std::int64_t step) {
    story.on(SaveRequested{{-1, 0}, step, step});
    story.on(Sealed{story.take<Seal>().number, SavedStep{step, 10, 1}, {}}).skip();
  };
  save(10);
  story.on(FinishReported{1}).skip();
  EXPECT_TRUE(story.status().finished);
  save(20);
  EXPECT_FALSE(story.status().finished);
  story.on(FinishReported{2}).skip();
  EXPECT_TRUE(story.status().finished);
}

}  // namespace
}  // namespace cox
