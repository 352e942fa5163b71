// Tests which reports of saved steps a supervisor refuses, and with which reasons.
#include "tests/worker/supervision_story.h"

namespace cox {
namespace {

class RefusedSaves : public ::testing::Test {
 protected:
  static SupervisionStory story_of(const std::string& checkpoint_dir) {
    LaunchSpec launch = gang_launch(1, 2);
    launch.job_checkpoint_dir = checkpoint_dir;
    return SupervisionStory(launch);
  }
  // Returns the story of a batch script on one node.
  static SupervisionStory story_of_script() {
    LaunchSpec launch = gang_launch(1, 1);
    launch.spec.form = JobForm::Batch;
    launch.job_checkpoint_dir = "/checkpoints/17";
    SupervisionStory story(launch);
    story.run_ranks();
    return story;
  }
  static void begin_step(SupervisionStory& story, std::int32_t number) {
    StepOrdered step;
    step.launch.number = number;
    step.launch.ranks = {0};
    step.launch.tasks = 1;
    story.on(step).skip();
  }
  static void end_step(SupervisionStory& story, std::int32_t number) {
    StepReported gone;
    gone.status.number = number;
    gone.status.phase = StepPhase::Gone;
    story.on(gone).skip();
  }
  static void save(SupervisionStory& story, const Saver& saver, std::int64_t step) {
    story.on(SaveRequested{saver, step, 1});
    story.on(Sealed{story.take<Seal>().number, SavedStep{step, 100, 2}, std::nullopt}).skip();
  }
  // Reports a saved step. Returns "fact; hint" of the supervisor's refusal, or "" if the report is
  // accepted.
  static std::string refusal_of(SupervisionStory& story, const Saver& saver, std::int64_t step) {
    story.on(SaveRequested{saver, step, 1});
    std::string text;
    for (const Action& action : story.actions)
      if (const auto* answer = std::get_if<AnswerSave>(&action); answer && answer->refused)
        text = answer->refused->fact + "; " + answer->refused->hint;
    story.skip();
    return text;
  }
};

TEST_F(RefusedSaves, OfRanksThatDoNotRunHereOrBelowStep0AreAnsweredWithTheReason) {
  SupervisionStory story = story_of("/checkpoints/17");
  EXPECT_EQ(refusal_of(story, {-1, 0}, 1), "rank 0 is not running; ");
  story.run_ranks();
  EXPECT_EQ(refusal_of(story, {-1, 5}, 1),
            "rank 5 does not run on this node; give --rank, or do not change COX_RANK");
  EXPECT_EQ(refusal_of(story, {3, 0}, 1),
            "rank 0 of job step 3 does not run on this node; give --rank, or do not change "
            "COX_RANK");
  EXPECT_EQ(refusal_of(story, {-1, 0}, -1), "step -1 is below 0; count steps from 0");
  EXPECT_EQ(refusal_of(story, {-1, 0}, 0), "") << "the first step is 0";
  story.on(RankExited{1, 0, 0}).skip();
  EXPECT_EQ(refusal_of(story, {-1, 1}, 1), "rank 1 is not running; ");
}

TEST_F(RefusedSaves, ASaveNeedsACheckpointFolder) {
  SupervisionStory story = story_of("");
  story.run_ranks();
  EXPECT_EQ(refusal_of(story, {-1, 0}, 1),
            "this cluster has no checkpoint folder; set controller.checkpoint_root in "
            "coxswain.toml");
}

TEST_F(RefusedSaves, ARankCannotSaveAStepBelowItsNewestOne) {
  SupervisionStory story = story_of("/checkpoints/17");
  story.run_ranks().on(SaveRequested{{-1, 0}, 40, 1});
  story.on(Sealed{story.take<Seal>().number, SavedStep{40, 100, 2, false}, std::nullopt}).skip();
  EXPECT_EQ(refusal_of(story, {-1, 0}, 39),
            "step 39 comes after step 40, which is already saved; steps only go up within an "
            "attempt");
  EXPECT_EQ(refusal_of(story, {-1, 0}, 40), "") << "a repeated report of a saved step is accepted";
  EXPECT_EQ(refusal_of(story, {-1, 1}, 39), "") << "steps count per rank";
}

TEST_F(RefusedSaves, AStepThatIsNotAboveTheOneResumedFromWouldBeDropped) {
  LaunchSpec launch = gang_launch(1, 1);
  launch.job_checkpoint_dir = "/checkpoints/17";
  launch.resume = ResumeFrom{AttemptNumber(1), 20};
  SupervisionStory story(launch);
  story.run_ranks();
  EXPECT_EQ(refusal_of(story, {-1, 0}, 20),
            "step 20 is not above step 20, from which the job has resumed; steps only go up: "
            "continue them, and save a step above it");
  StepOrdered step;
  step.launch.ranks = {0};
  step.launch.tasks = 1;
  story.on(step).skip();
  EXPECT_EQ(refusal_of(story, {0, 0}, 20),
            "step 20 is not above step 20, from which the job has resumed; steps only go up: "
            "continue them, and save a step above it; a job step gets $COX_RESUME_FROM only if a "
            "step with the same command line has saved it");
  EXPECT_EQ(refusal_of(story, {-1, 0}, 21), "");
}

// The controller drops a step that is not above the newest checkpoint of the job.
TEST_F(RefusedSaves, AStepThatIsNotAboveTheSaveOfAnotherJobStepWouldBeDropped) {
  const auto after_save_by_step_0 = [](std::int64_t tasks_of_step_0) {
    LaunchSpec launch = gang_launch(2, 1);
    launch.spec.form = JobForm::Batch;
    launch.job_checkpoint_dir = "/checkpoints/17";
    SupervisionStory story(launch);
    story.run_ranks();
    StepOrdered step;
    step.launch.ranks = {0};
    step.launch.tasks = tasks_of_step_0;
    story.on(step).skip();
    story.on(SaveRequested{{0, 0}, 40, 1});
    story.on(Sealed{story.take<Seal>().number, SavedStep{40, 100, 2}, std::nullopt}).skip();
    StepReported gone;
    gone.status.phase = StepPhase::Gone;
    step.launch.number = 1;
    story.on(gone).on(step).skip();
    return refusal_of(story, {1, 0}, 39) + "|" + refusal_of(story, {1, 0}, 41);
  };
  EXPECT_EQ(after_save_by_step_0(1),
            "step 39 is not above step 40, which job step 0 has saved; steps only go up within a "
            "job: count on from there, or run this part as a job of its own|");
  EXPECT_EQ(after_save_by_step_0(2), "|")
      << "the task on the other node may not have saved step 40";
}

// Ranks that have nothing to save report the step too, but one of them must have a file.
TEST_F(RefusedSaves, TheLastRankOfAStepMustHaveFilesIfNoOtherHasAny) {
  SupervisionStory story = story_of("/checkpoints/17");
  story.run_ranks().on(SaveRequested{{-1, 0}, 40, 1});
  const Seal first = story.take<Seal>();
  EXPECT_FALSE(first.must_have_files) << "rank 1 may have some";
  story.on(Sealed{first.number, SavedStep{40, 0, 0}, std::nullopt}).skip();
  story.on(SaveRequested{{-1, 1}, 40, 2});
  EXPECT_TRUE(story.take<Seal>().must_have_files);

  SupervisionStory other = story_of("/checkpoints/17");
  other.run_ranks().on(SaveRequested{{-1, 0}, 40, 1});
  other.on(Sealed{other.take<Seal>().number, SavedStep{40, 100, 2}, std::nullopt}).skip();
  other.on(SaveRequested{{-1, 1}, 40, 2});
  EXPECT_FALSE(other.take<Seal>().must_have_files);
}

TEST_F(RefusedSaves, ARankThatSavesAloneMustHaveFiles) {
  LaunchSpec launch = gang_launch(1, 1);
  launch.job_checkpoint_dir = "/checkpoints/17";
  SupervisionStory alone(launch);
  alone.run_ranks().on(SaveRequested{{-1, 0}, 40, 1});
  EXPECT_TRUE(alone.take<Seal>().must_have_files);
  launch = gang_launch(2, 2);
  launch.job_checkpoint_dir = "/checkpoints/17";
  launch.spec.checkpoint_by = CheckpointBy::Rank0;
  SupervisionStory rank0(launch);
  rank0.run_ranks().on(SaveRequested{{-1, 0}, 40, 1});
  EXPECT_TRUE(rank0.take<Seal>().must_have_files);
}

TEST_F(RefusedSaves, ARankHasAtMostFourCheckpointsInProgress) {
  SupervisionStory story = story_of("/checkpoints/17");
  story.run_ranks();
  for (std::int64_t step = 1; step <= 3; ++step) EXPECT_EQ(refusal_of(story, {-1, 0}, step), "");
  EXPECT_EQ(refusal_of(story, {-1, 0}, 3), "") << "a second report of a step counts too";
  EXPECT_EQ(refusal_of(story, {-1, 0}, 4),
            "rank 0 has 4 checkpoints being sealed, the limit; wait for an answer before reporting "
            "the next");
  EXPECT_EQ(refusal_of(story, {-1, 1}, 4), "") << "the limit is per rank";
}

// Reports step 40 of rank 0 twice. The second time, the seal of the files has this outcome.
AnswerSave second_answer(SupervisionStory& story, std::optional<Refusal> refused,
                         bool save_unknown) {
  const SavedStep saved{40, 100, 2};
  story.run_ranks().on(SaveRequested{{-1, 0}, 40, 1});
  const Seal first = story.take<Seal>();
  EXPECT_FALSE(first.is_repeat);
  story.on(Sealed{first.number, saved, std::nullopt}).skip();
  const std::int64_t revision = story.status().revision;
  story.on(SaveRequested{{-1, 0}, 40, 2});
  const Seal second = story.take<Seal>();
  EXPECT_TRUE(second.is_repeat);
  story.on(Sealed{second.number, std::nullopt, refused, save_unknown});
  if (story.status().revision != revision) story.take<Publish>();
  EXPECT_EQ(story.status().ranks.at(0).saved, std::vector{saved});
  const auto answer = story.take<AnswerSave>();
  EXPECT_EQ(answer.token, 2);
  EXPECT_EQ(answer.saved, saved);
  return answer;
}

TEST_F(RefusedSaves, ARepeatedReportIsRefusedOnlyIfTheFilesHaveChanged) {
  const Refusal changed{"step 40 was already reported", "save under a new step number"};
  SupervisionStory same = story_of("/checkpoints/17");
  EXPECT_FALSE(second_answer(same, std::nullopt, false).refused);
  SupervisionStory differs = story_of("/checkpoints/17");
  const auto refused = second_answer(differs, changed, false).refused;
  ASSERT_TRUE(refused);
  EXPECT_EQ(refused->fact, changed.fact);
  EXPECT_EQ(differs.status().note, "rank 0: step 40 was already reported");
  SupervisionStory unknown = story_of("/checkpoints/17");
  EXPECT_FALSE(second_answer(unknown, Refusal{"step-40: cannot open", ""}, true).refused);
  EXPECT_EQ(unknown.status().note, "");
  EXPECT_FALSE(unknown.status().ranks.at(0).save_unknown) << "it has saved";
}

TEST_F(RefusedSaves, OneRefusalIsNotedOnceHoweverOftenItIsRepeated) {
  SupervisionStory story = story_of("/checkpoints/17");
  story.run_ranks();
  const auto refuse = [&](std::int64_t step, const std::string& why) {
    story.on(SaveRequested{{-1, 0}, step, 1});
    story.on(Sealed{story.take<Seal>().number, std::nullopt, Refusal{why, ""}}).skip();
  };
  for (const std::int64_t step : {1, 1, 2}) refuse(step, "rank-0/x: neither a file nor a folder");
  EXPECT_EQ(story.status().note, "rank 0: rank-0/x: neither a file nor a folder");
  refuse(3, "rank-0/x");
  EXPECT_EQ(story.status().note, "rank 0: rank-0/x: neither a file nor a folder; rank 0: rank-0/x");
}

// A step of srun may be killed, and its end acknowledged, while a save of it is being sealed.
TEST_F(RefusedSaves, ASaveThatIsSealedAfterItsJobStepWasForgottenIsAnswered) {
  SupervisionStory story = story_of_script();
  begin_step(story, 0);
  story.on(SaveRequested{{0, 0}, 40, 1});
  const Seal seal = story.take<Seal>();
  end_step(story, 0);
  story.on(Acknowledged{story.status().revision}).skip();
  ASSERT_TRUE(story.status().steps.empty());
  story.on(Sealed{seal.number, SavedStep{40, 100, 2}, std::nullopt});
  EXPECT_EQ(story.take<AnswerSave>().saved.step, 40);
}

constexpr const char* beside_step_0 =
    "job step 0 has saved in this attempt and runs or ran beside this job step: a job has one "
    "checkpoint, so only one of the job steps that run at the same time may save; run each "
    "training as a job of its own, for example as a task of a job array";

TEST_F(RefusedSaves, OfJobStepsThatRunAtTheSameTimeOnlyOneMaySave) {
  SupervisionStory story = story_of_script();
  for (const std::int32_t step : {0, 1, 2}) begin_step(story, step);
  save(story, {0, 0}, 40);
  EXPECT_EQ(refusal_of(story, {1, 0}, 50), beside_step_0);
  EXPECT_EQ(refusal_of(story, {1, 0}, 40), beside_step_0) << "whatever the number of the step";
  const std::string note =
      "job step 1 may not save beside job step 0, which has saved: a job has one checkpoint";
  EXPECT_EQ(story.status().note, note);
  save(story, {0, 0}, 41);
  story.wait_until(600'000);
  end_step(story, 0);
  EXPECT_EQ(refusal_of(story, {2, 0}, 50), beside_step_0) << "job step 0 ran beside it";
  EXPECT_EQ(story.status().note, note) << "it is noted once";
}

TEST_F(RefusedSaves, ASaveThatIsBeingSealedKeepsOtherJobStepsFromSavingUnlessItFails) {
  SupervisionStory story = story_of_script();
  for (const std::int32_t step : {0, 1}) begin_step(story, step);
  story.on(SaveRequested{{0, 0}, 40, 1});
  const Seal seal = story.take<Seal>();
  EXPECT_EQ(refusal_of(story, {1, 0}, 50), beside_step_0);
  story.on(Sealed{seal.number, std::nullopt, Refusal{"it has no file", ""}}).skip();
  EXPECT_EQ(refusal_of(story, {1, 0}, 50), "");
}

// The end of a job step may be reported shortly after the order for the one that follows it.
TEST_F(RefusedSaves, JobStepsThatFollowOneAnotherMayAllSave) {
  SupervisionStory story = story_of_script();
  begin_step(story, 0);
  save(story, {0, 0}, 40);
  begin_step(story, 1);
  story.wait_until(story.ms + 1'000);
  end_step(story, 0);
  save(story, {1, 0}, 50);
  end_step(story, 1);
  begin_step(story, 2);
  save(story, {2, 0}, 60);
  EXPECT_EQ(story.status().note, "");
}

// Returns the note of a node with two ranks at the end of a grace of 5 s, after these ranks have
// saved in it. `before`: the training step that rank 0 had saved before the order to stop.
std::string note_at_end_of_grace(LaunchSpec launch, const std::vector<std::int32_t>& saving,
                                 std::optional<std::int64_t> before = {}) {
  launch.job_checkpoint_dir = "/checkpoints/17";
  SupervisionStory story(launch);
  story.run_ranks();
  const auto save = [&](std::int32_t rank, std::int64_t step) {
    story.on(SaveRequested{{-1, rank}, step, 1});
    story.on(Sealed{story.take<Seal>().number, SavedStep{step, 100, 2}, std::nullopt}).skip();
  };
  if (before) save(0, *before);
  story.on(StopOrdered{preempt(5'000)}).skip();
  for (const std::int32_t rank : saving) save(rank, 40);
  story.wait_until(6'000).skip();
  return story.status().note;
}

TEST(SupervisionSaves, TheEndOfTheGraceIsNotedIfARankThatRunsHasNotSaved) {
  const std::string note = "the grace of 5 s to save ended before the job did, so it got SIGTERM";
  LaunchSpec launch = gang_launch(1, 2);
  EXPECT_EQ(note_at_end_of_grace(launch, {}), "") << "the job does not save through Coxswain";
  EXPECT_EQ(note_at_end_of_grace(launch, {}, 39), note) << "it has saved before";
  launch.spec.checkpoint_signal = 10;
  EXPECT_EQ(note_at_end_of_grace(launch, {}), note);
  EXPECT_EQ(note_at_end_of_grace(launch, {0}), note) << "rank 1 has not saved";
  EXPECT_EQ(note_at_end_of_grace(launch, {0, 1}), "") << "it has saved, and goes on";
}

TEST(SupervisionSaves, TheEndOfTheLeaseIsNotTheEndOfTheGrace) {
  LaunchSpec launch = gang_launch(1, 1);
  launch.spec.checkpoint_signal = 10;
  launch.lease_ms = 10'000;
  launch.lease_grace_ms = 2'000;
  SupervisionStory story(launch);
  story.run_ranks().on(StopOrdered{preempt(600'000)}).skip();
  story.wait_until(13'000).skip();
  EXPECT_EQ(story.status().note, "");
}

// Tasks of srun have saved for it, and how many is known only from their manifests.
TEST(SupervisionSaves, TheFirstNodeOfABatchJobVerifiesAllThatWasSaved) {
  const auto prepared = [](std::int32_t node, JobForm form) {
    LaunchSpec launch = gang_launch(2, 1);
    launch.job_checkpoint_dir = "/checkpoints/17";
    launch.spec.form = form;
    launch.node_index = node;
    launch.resume = ResumeFrom{AttemptNumber(1), 5};
    SupervisionStory story(launch);
    story.on(Begun{});
    story.take<Publish>();
    return story.take<PrepareNode>();
  };
  EXPECT_TRUE(prepared(0, JobForm::Batch).verify_all);
  EXPECT_FALSE(prepared(1, JobForm::Batch).verify_all) << "once is enough";
  EXPECT_FALSE(prepared(0, JobForm::Gang).verify_all);
}

}  // namespace
}  // namespace cox
