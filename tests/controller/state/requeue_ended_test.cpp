// Tests that a user can requeue a job that has ended, as long as the controller has it in memory.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "controller/job/requeue.h"
#include "tests/controller/bench.h"

namespace cox {
namespace {

class RequeueEnded : public testing::Test, public Bench {
 public:
  RequeueEnded() { node("n1", 2); }

  JobId ended(const Ask& what, int code, bool saved = false) {
    const JobId id = submit(what);
    ready(id);
    finish(id, code, saved, 40);
    return id;
  }
  std::string requeue(JobId id, const std::string& tasks = "") {
    return act({JobVerb::Requeue, {id}, {tasks}});
  }
  void await_eligible() { pass_with_beats(requeue_after_end_delay, {"n1"}); }
  // Submits a second job that begins from step 40 of this job, and lets it report that step as
  // damaged.
  void damage(JobId id) {
    const JobId other = submit({.with = [&](JobSpec& s) { s.resume_from = {id, 40, {}, "", 0}; }});
    auto damaged = status_of(other, NodePhase::Gone);
    damaged.refused = "step 40 rank 0: hash differs";
    damaged.node_at_fault = false;
    damaged.resume_fault = ResumeFault::Differs;
    status("n1", damaged);
  }
  Acted::Outcome outcome_of(const ActOnJobs& what) {
    return std::get<Acted>(ask(what).body).outcomes.at(0);
  }
  std::string act(const ActOnJobs& what) {
    const auto outcome = outcome_of(what);
    return outcome.refused ? outcome.refused->fact : outcome.done;
  }
  std::string hint(const ActOnJobs& what) {
    return outcome_of(what).refused.value_or(Refusal{}).hint;
  }
};

TEST_F(RequeueEnded, ARequeuedJobResumesFromItsNewestCheckpoint) {
  const JobId id = ended({.checkpoint_signal = 10}, 3, true);
  ASSERT_EQ(state(id), "FAILED");
  EXPECT_EQ(requeue(id), "requeued; it is to resume from step 40, if that verifies");
  await_eligible();
  EXPECT_EQ(state(id), "CONFIGURING");
  EXPECT_EQ(attempt(id).key.attempt.value, 2);
  EXPECT_EQ(attempt(id).resume->step, 40);
  EXPECT_EQ(job(id).job.exit_code, 0);
  EXPECT_EQ(job(id).job.ended, Wall{});
  ready(id);
  finish(id, 0);
  EXPECT_EQ(state(id), "COMPLETED");
}

TEST_F(RequeueEnded, ARequeuedJobWaitsSoThatItCanBeChanged) {
  const JobId id = ended({}, 3);
  requeue(id);
  EXPECT_EQ(state(id), "PENDING");
  const JobView view = std::get<JobDetail>(ask(ShowJob{id}).body).view;
  EXPECT_EQ(view.reason, WaitReason::BeginTime);
  EXPECT_EQ(view.job.eligible, now.wall + requeue_after_end_delay);
  pass_with_beats(requeue_after_end_delay - Milliseconds{1'000}, {"n1"});
  EXPECT_EQ(state(id), "PENDING");
  pass_with_beats(Milliseconds{1'000}, {"n1"});
  EXPECT_EQ(state(id), "CONFIGURING");
}

TEST_F(RequeueEnded, AClockThatIsSetBackDoesNotDelayARequeuedJob) {
  const JobId id = ended({}, 3);
  requeue(id);
  pass_with_beats(Milliseconds{1'000}, {"n1"});
  now.wall -= std::chrono::hours{1};
  pass_with_beats(requeue_after_end_delay - Milliseconds{2'000}, {"n1"});
  EXPECT_EQ(state(id), "PENDING");
  pass_with_beats(Milliseconds{1'000}, {"n1"});
  EXPECT_EQ(state(id), "CONFIGURING");
}

TEST_F(RequeueEnded, ARequeuedCompletedJobBeginsAnew) {
  const JobId id = ended({.checkpoint_signal = 10}, 0, true);
  EXPECT_EQ(requeue(id), "requeued; it begins anew");
  await_eligible();
  EXPECT_FALSE(attempt(id).resume.has_value());
}

TEST_F(RequeueEnded, AJobWithoutItsOwnCheckpointBeginsFromItsSource) {
  const JobId source = ended({.checkpoint_signal = 10}, 3, true);
  const JobId id = submit({.with = [&](JobSpec& s) {
    s.resume_from = {source, 40, {}, "", 0};
    s.hold = true;
  }});
  EXPECT_EQ(act({JobVerb::Cancel, {id}}), "cancelled");
  EXPECT_EQ(requeue(id), "requeued; it is to begin from step 40 of job " +
                             std::to_string(source.value) + ", if that verifies");
}

TEST_F(RequeueEnded, ADamagedCheckpointIsLookedAtAgainAndTheJobNeverBeginsAnew) {
  const JobId id = ended({.checkpoint_signal = 10}, 3, true);
  damage(id);
  EXPECT_EQ(requeue(id), "requeued; it is to resume from step 40, if that verifies");
  await_eligible();
  ASSERT_EQ(attempt(id).resume->step, 40);
  auto damaged = status_of(id, NodePhase::Gone);
  damaged.refused = "step 40 rank 0: hash differs";
  damaged.node_at_fault = false;
  damaged.resume_fault = ResumeFault::Differs;
  status("n1", damaged);
  EXPECT_EQ(state(id), "PENDING");
  EXPECT_EQ(*job(id).job.held_why,
            "its checkpoint of step 40 is damaged (step 40 rank 0: hash differs); `cox release "
            "--begin-anew 1` starts it without it");
  EXPECT_EQ(std::get<JobDetail>(ask(ShowJob{id}).body).why.at(0).find(*job(id).job.held_why), 0u);
}

TEST_F(RequeueEnded, RemovedCheckpointsAreNotReportedAsALostSave) {
  const JobId id = ended({.checkpoint_signal = 10}, 0, true);
  ask(ActOnNodes{true, {"n1"}, "bad fan"});
  requeue(id);
  ASSERT_EQ(state(id), "PENDING");
  const auto detail = std::get<JobDetail>(ask(ShowJob{id}).body);
  for (const std::string& why : detail.why)
    EXPECT_EQ(why.find("did not become"), std::string::npos) << why;
}

TEST_F(RequeueEnded, ARequeuedJobStaysInMemoryForMinJobAgeAfterItsNewEnd) {
  const JobId id = ended({}, 3);
  pass_with_beats(config.min_job_age - Milliseconds{10'000}, {"n1"});
  requeue(id);
  pass_with_beats(Milliseconds{20'000}, {"n1"});
  ready(id);
  finish(id, 0);
  pass_with_beats(config.min_job_age - Milliseconds{10'000}, {"n1"});
  EXPECT_EQ(state(id), "COMPLETED");
  pass_with_beats(Milliseconds{20'000}, {"n1"});
  EXPECT_EQ(controller->cluster().job(id), nullptr);
}

TEST_F(RequeueEnded, ARequeueOfACancelledJobSurvivesARestartOfTheController) {
  const JobId held = submit({.with = [](JobSpec& s) { s.hold = true; }});
  EXPECT_EQ(act({JobVerb::Cancel, {held}}), "cancelled");
  EXPECT_EQ(requeue(held), "requeued; it begins anew");
  restart();
  EXPECT_EQ(state(held), "PENDING");
}

TEST_F(RequeueEnded, DependentJobsWaitForTheNextEndOfARequeuedJob) {
  const JobId id = ended({}, 3);
  requeue(id);
  const JobId after =
      submit({.with = [&](JobSpec& s) { s.dependency = "afterok:" + std::to_string(id.value); }});
  EXPECT_EQ(state(after), "PENDING");
  await_eligible();
  ready(id);
  finish(id, 0);
  EXPECT_EQ(state(after), "CONFIGURING");
}

TEST_F(RequeueEnded, OneTaskOfAnEndedArrayCanBeRequeued) {
  const JobId array = submit({.with = [](JobSpec& s) { s.array = "0-1"; }});
  const std::set<JobId> rows = controller->cluster().jobs().arrays().rows(array);
  ASSERT_EQ(rows.size(), 2U);
  for (const JobId row : rows) {
    ready(row);
    finish(row, 3);
  }
  EXPECT_EQ(requeue(array), "array " + std::to_string(array.value) + " has ended: 2 FAILED");
  EXPECT_NE(requeue(array, "1").find("requeued"), std::string::npos);
  EXPECT_FALSE(controller->cluster().jobs().arrays().is_over(array));
}

TEST_F(RequeueEnded, ARequeueOfAJobThatCannotRunAgainIsRefused) {
  const JobId late = submit({.with = [&](JobSpec& s) {
    s.hold = true;
    s.deadline = now.wall + Milliseconds{5'000};
  }});
  pass_with_beats(Milliseconds{10'000}, {"n1"});
  ASSERT_EQ(state(late), "DEADLINE");
  EXPECT_EQ(requeue(late), "the --deadline of job " + std::to_string(late.value) + " has passed");
  const JobId id = ended({}, 0);
  const JobId in_vain = submit({.with = [&](JobSpec& s) {
    s.dependency = "afternotok:" + std::to_string(id.value);
    s.kill_on_invalid_dependency = true;
  }});
  ASSERT_EQ(state(in_vain), "CANCELLED");
  EXPECT_EQ(requeue(in_vain), "job " + std::to_string(in_vain.value) +
                                  " has dependencies and ended before it had started");
  EXPECT_EQ(act({JobVerb::Preempt, {id}}), "job " + std::to_string(id.value) + " has ended");
}

TEST_F(RequeueEnded, AJobCancelledBetweenTwoAttemptsStartsAgainIfRequeued) {
  const JobId id = submit({.checkpoint_signal = 10});
  ready(id);
  finish(id, exit_code_saved, true, 20);
  ASSERT_EQ(state(id), "PENDING") << "its first attempt took less than 5 s";
  ask(ActOnJobs{JobVerb::Cancel, {id}});
  ASSERT_EQ(state(id), "CANCELLED");
  ask(ActOnJobs{JobVerb::Requeue, {id}});
  await_eligible();
  EXPECT_EQ(state(id), "CONFIGURING");
}

TEST_F(RequeueEnded, ALatePreemptionIsRefusedWithAHintThatWorks) {
  const JobId id = ended({}, 3);
  EXPECT_EQ(hint({JobVerb::Preempt, {id}}),
            "`cox requeue " + std::to_string(id.value) + "` queues it again");
  const JobId bound = ended({.with = [](JobSpec& s) { s.requeue = false; }}, 3);
  EXPECT_EQ(hint({JobVerb::Preempt, {bound}}),
            "submit it again; with --resume-from=" + std::to_string(bound.value) +
                " it resumes from its newest checkpoint, if it has one");
}

TEST_F(RequeueEnded, AJobThatNeverExistedIsRefusedWithoutAHintToItsHistory) {
  const JobId none{999};
  for (const JobVerb verb : {JobVerb::Cancel, JobVerb::Release, JobVerb::Requeue}) {
    EXPECT_EQ(act({verb, {none}}), "there never was a job 999");
    EXPECT_EQ(hint({verb, {none}}).find("cox history"), std::string::npos);
  }
  EXPECT_EQ(refusal_of(ask(ReadScript{none})), "there never was a job 999");
}

}  // namespace
}  // namespace cox
