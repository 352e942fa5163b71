// Tests which saves of srun's steps become checkpoints, and which steps are given a checkpoint when
// their job resumes.
#include <gtest/gtest.h>

#include "tests/controller/attempt/steps_story.h"

namespace cox {
namespace {

class StepCheckpoints : public StepsStory {
 protected:
  // Starts a step with a task on each node. It leaves a CPU of each for another step.
  CreateStep on_both(JobId id, const std::string& command) {
    CreateStep ask = srun(id, 2, command + std::to_string(++requests));
    ask.spec.nodes_min = ask.spec.nodes_max = 2;
    ask.spec.exact = true;
    ask.spec.command_hash = command;
    return ask;
  }
  static StepStatus saving(std::int32_t number, std::vector<std::int64_t> steps,
                           StepPhase phase = StepPhase::Running) {
    StepStatus status = at(number, phase);
    for (const std::int64_t step : steps) status.saved.push_back({step, 100, 1, true});
    return status;
  }
  // Returns the job's events about checkpoints.
  std::vector<std::string> notes(JobId id) {
    std::vector<std::string> notes;
    for (const JobEvent& event : database->tables.events)
      if (event.job == id && event.what == "checkpoint") notes.push_back(event.why);
    return notes;
  }
  // Starts attempt 2, which resumes from step 10. `command`: that of job step 0, which saved it.
  JobId resumed_after_save_of(const std::string& command) {
    const JobId id = batch_on_two();
    created(on_both(id, command));
    now.wall += Milliseconds{5'000};
    ask(ActOnJobs{JobVerb::Preempt, {id}});
    for (const char* name : {"n1", "n2"}) reports(id, name, {saving(0, {10}, StepPhase::Gone)});
    AttemptStatus script = status_of(id, NodePhase::Gone);
    script.ranks.emplace_back().phase = RankPhase::Exited;
    status("n1", script);
    status("n2", status_of(id, NodePhase::Gone));
    ready(id);
    for (const char* name : {"n1", "n2"}) status(name, status_of(id, NodePhase::Running));
    EXPECT_EQ(attempt(id).resume, (ResumeFrom{AttemptNumber{1}, 10}));
    take<LaunchStep>();
    return id;
  }
  // Starts the step. Returns whether the orders to its nodes give it the checkpoint.
  bool resumes(const CreateStep& ask) {
    created(ask);
    const auto launches = take<LaunchStep>();
    EXPECT_EQ(launches.size(), 2u);
    const bool resumes = launches.at(0).second.launch.resumes;
    EXPECT_EQ(launches.at(1).second.launch.resumes, resumes);
    return resumes;
  }
};

TEST_F(StepCheckpoints, ACheckpointHasTheStepThatSavedItAndItsCommand) {
  const JobId id = batch_on_two();
  created(on_both(id, "prepare"));
  created(on_both(id, "train"));
  for (const char* name : {"n1", "n2"})
    reports(id, name, {at(0, StepPhase::Running), saving(1, {10})});
  ASSERT_EQ(job(id).checkpoints.size(), 1u);
  EXPECT_EQ(job(id).checkpoints[0].job_step, 1);
  EXPECT_EQ(job(id).checkpoints[0].command_hash, "train");
}

// Both save into the same folder, so the files of the checkpoint would be of two trainings.
TEST_F(StepCheckpoints, WhatTwoStepsHaveSavedUnderTheSameNumberIsNoCheckpoint) {
  const JobId id = batch_on_two();
  created(on_both(id, "a"));
  created(on_both(id, "b"));
  reports(id, "n1", {saving(0, {10}), at(1, StepPhase::Running)});
  reports(id, "n2", {at(0, StepPhase::Running), saving(1, {10})});
  reports(id, "n2", {saving(0, {10}), saving(1, {10})});
  reports(id, "n1", {saving(0, {10, 20}), saving(1, {10, 20})});
  reports(id, "n2", {saving(0, {10, 20}), saving(1, {10, 20})});
  EXPECT_TRUE(job(id).checkpoints.empty());
  EXPECT_EQ(notes(id), (std::vector<std::string>{
                           "step 10 is no checkpoint, since job step 0 and job step 1 have both "
                           "saved it; their files have the same names: run "
                           "each training as a job of its own, for example as a task of a job "
                           "array"}))
      << "it is recorded once";
}

TEST_F(StepCheckpoints, ASaveUnderTheNumberOfACheckpointOfAnotherStepDoesNotCount) {
  const JobId id = batch_on_two();
  created(on_both(id, "a"));
  created(on_both(id, "b"));
  for (const char* name : {"n1", "n2"})
    reports(id, name, {saving(0, {10}), at(1, StepPhase::Running)});
  ASSERT_EQ(notes(id).size(), 1u);
  for (const char* name : {"n1", "n2", "n1"}) reports(id, name, {saving(0, {10}), saving(1, {10})});
  ASSERT_EQ(job(id).checkpoints.size(), 1u);
  EXPECT_EQ(job(id).checkpoints[0].job_step, 0);
  ASSERT_EQ(notes(id).size(), 2u);
  EXPECT_TRUE(notes(id)[1].starts_with(
      "step 10 of job step 1 does not count, since job step 0 has saved it before; "))
      << notes(id)[1];
}

TEST_F(StepCheckpoints, OnlyAStepWithTheSameCommandIsGivenTheCheckpoint) {
  const JobId id = resumed_after_save_of("train");
  EXPECT_EQ(attempt(id).resume_job_step, 0);
  const CreateStep other = on_both(id, "finetune");
  EXPECT_FALSE(resumes(other));
  EXPECT_TRUE(resumes(on_both(id, "train")));
  for (const char* name : {"n1", "n2"})
    reports(id, name, {at(0, StepPhase::Running), at(1, StepPhase::Gone)});
  EXPECT_FALSE(resumes(on_both(id, "plot")));
  ASSERT_EQ(notes(id).size(), 2u) << "the commit, and the first step that is not given it";
  EXPECT_EQ(notes(id)[1],
            "job step 0 is not given the checkpoint of step 10, since job step 0 of attempt 1 has "
            "saved it with another command line; run each training as a job of its own");
}

TEST_F(StepCheckpoints, ANewControllerGivesTheCheckpointToTheSameSteps) {
  const JobId id = resumed_after_save_of("train");
  const CreateStep train = on_both(id, "train"), other = on_both(id, "finetune");
  created(train);
  created(other);
  restart();
  hellos(id);
  take<LaunchStep>();
  EXPECT_TRUE(resumes(train));
  EXPECT_FALSE(resumes(other));
}

TEST_F(StepCheckpoints, AStepWhoseCommandIsNotKnownIsGivenTheCheckpoint) {
  const JobId id = resumed_after_save_of("train");
  EXPECT_TRUE(resumes(on_both(id, ""))) << "its srun is of the previous version";
}

TEST_F(StepCheckpoints, ACheckpointOfAnUnknownCommandIsGivenToAllSteps) {
  const JobId id = resumed_after_save_of("");
  EXPECT_TRUE(resumes(on_both(id, "train")));
  EXPECT_EQ(notes(id).size(), 1u);
}

TEST_F(StepCheckpoints, ACheckpointOfTheScriptIsGivenToAllSteps) {
  const JobId id = batch_on_two();
  AttemptStatus script = status_of(id, NodePhase::Running);
  script.ranks = {{0, RankPhase::Running, 0, 0, {{10, 5, 1, false}}, now.wall, {}}};
  status("n1", script);
  ASSERT_EQ(job(id).checkpoints.size(), 1u);
  EXPECT_EQ(job(id).checkpoints[0].job_step, -1);
  now.wall += Milliseconds{5'000};
  ask(ActOnJobs{JobVerb::Preempt, {id}});
  script.phase = NodePhase::Gone;
  script.ranks[0].phase = RankPhase::Exited;
  status("n1", script);
  status("n2", status_of(id, NodePhase::Gone));
  ready(id);
  for (const char* name : {"n1", "n2"}) status(name, status_of(id, NodePhase::Running));
  ASSERT_TRUE(attempt(id).resume);
  take<LaunchStep>();
  EXPECT_TRUE(resumes(on_both(id, "train")));
}

}  // namespace
}  // namespace cox
