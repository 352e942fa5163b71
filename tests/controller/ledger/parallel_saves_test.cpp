// Tests that a job is held, and not resumed, if job steps that ran at the same time have saved.
#include "controller/ledger/parallel_saves.h"

#include "common/job/save_words.h"
#include "tests/controller/attempt/steps_story.h"

namespace cox {
namespace {

std::string advice(JobId id) {
  return "; the checkpoint of step 35 has the work of only one of them. Run each training as a job "
         "of its own, for example as a task of a job array. `cox release --begin-anew " +
         std::to_string(id.value) + "` starts the job without its checkpoints";
}

class ParallelSaves : public StepsStory {
 protected:
  // Begins a job step of one task on this node.
  std::int32_t begin_step(JobId id, const std::string& node) {
    CreateStep ask = srun(id, 1, node);
    ask.spec.nodelist = {node};
    ask.spec.exact = true;
    return created(ask).key.number;
  }
  static StepStatus saved(std::int32_t number, std::int64_t step, StepPhase phase) {
    StepStatus status = at(number, phase);
    status.saved = {{step, 100, 1}};
    return status;
  }
  // Preempts the job, and ends what runs. `note`: of node n1.
  void end(JobId id, const std::string& note) {
    ask(ActOnJobs{JobVerb::Preempt, {id}});
    for (const char* name : {"n1", "n2"}) {
      AttemptStatus gone = status_of(id, NodePhase::Gone);
      if (name == std::string("n1")) {
        gone.note = note;
        gone.ranks = {{0, RankPhase::Exited, 0, 15, {}, now.wall, now.wall}};
      }
      status(name, gone);
    }
    EXPECT_NE(job(id).attempts.front().ended, Wall{});
  }
  std::string held_why(JobId id) { return job(id).job.held ? *job(id).job.held_why : ""; }
};

TEST_F(ParallelSaves, AJobWithAJobStepThatWasRefusedASaveIsHeld) {
  const JobId id = batch_on_two();
  const std::int32_t first = begin_step(id, "n1");
  reports(id, "n1", {saved(first, 35, StepPhase::Running)});
  ASSERT_EQ(job(id).checkpoints.size(), 1u);
  end(id, refused_beside_note(1, 0));
  const std::string why = refused_beside_note(1, 0) + advice(id);
  EXPECT_EQ(held_why(id), why);
  const auto detail = std::get<JobDetail>(ask(ShowJob{id}).body);
  EXPECT_TRUE(std::ranges::any_of(
      detail.why, [&](const std::string& line) { return line.find(why) != std::string::npos; }));
  ask(ActOnJobs{JobVerb::Release, {id}});
  EXPECT_EQ(held_why(id), "");
}

TEST_F(ParallelSaves, ALateReportThatAJobStepWasRefusedASaveHoldsTheJob) {
  const JobId id = batch_on_two();
  const std::int32_t first = begin_step(id, "n1");
  reports(id, "n1", {saved(first, 35, StepPhase::Running)});
  const auto lost = config.lease + config.lease_grace + config.kill_wait + config.lease_margin;
  pass_with_beats(lost + Milliseconds{5'000}, {"n1"});
  AttemptStatus stopped = status_of(id, NodePhase::Gone);
  stopped.ranks = {{0, RankPhase::Exited, 0, 15, {}, now.wall, now.wall}};
  status("n1", stopped);
  ASSERT_EQ(state(id), "PENDING");
  ASSERT_EQ(held_why(id), "");
  AttemptStatus late = status_of(id, NodePhase::Gone);
  late.note = refused_beside_note(1, 0);
  status("n2", late);
  EXPECT_EQ(held_why(id), refused_beside_note(1, 0) + advice(id));
}

TEST_F(ParallelSaves, AJobWithoutACheckpointIsNotHeldForThem) {
  const JobId id = batch_on_two();
  begin_step(id, "n1");
  end(id, refused_beside_note(1, 0));
  EXPECT_EQ(held_why(id), "") << "all begin anew";
}

TEST_F(ParallelSaves, AJobWhoseJobStepsOnDifferentNodesBothSavedIsHeld) {
  const JobId id = batch_on_two();
  const std::int32_t one = begin_step(id, "n1");
  const std::int32_t two = begin_step(id, "n2");
  reports(id, "n1", {saved(one, 34, StepPhase::Running)});
  reports(id, "n2", {saved(two, 35, StepPhase::Running)});
  pass_with_beats(Milliseconds{16'000}, {"n1", "n2"});
  end(id, "");
  EXPECT_EQ(held_why(id), std::string("job steps 0 and 1 ran at the same time and have both saved, "
                                      "but a job has one checkpoint") +
                              advice(id));
}

TEST_F(ParallelSaves, AJobWhoseJobStepsFollowedOneAnotherIsNotHeld) {
  const JobId id = batch_on_two();
  const std::int32_t one = begin_step(id, "n1");
  reports(id, "n1", {saved(one, 34, StepPhase::Running)});
  const std::int32_t two = begin_step(id, "n2");
  pass_with_beats(Milliseconds{10'000}, {"n1", "n2"});
  reports(id, "n1", {saved(one, 34, StepPhase::Gone)});  // the report of its end was late
  reports(id, "n2", {saved(two, 35, StepPhase::Running)});
  pass_with_beats(Milliseconds{60'000}, {"n1", "n2"});
  end(id, "");
  EXPECT_EQ(held_why(id), "");
}

TEST_F(ParallelSaves, AJobWhoseOwnerHasChosenTheCheckpointIsNotHeld) {
  const JobId id = batch_on_two();
  const std::int32_t first = begin_step(id, "n1");
  reports(id, "n1", {saved(first, 35, StepPhase::Running)});
  ask(ActOnJobs{JobVerb::RequeueFrom, {id}, {}, 35});
  end(id, refused_beside_note(1, 0));
  EXPECT_EQ(held_why(id), "");
}

}  // namespace
}  // namespace cox
