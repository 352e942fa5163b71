// Tests requeues without progress: each makes the job wait longer, and in the end the job is held.
#include "controller/job/requeue.h"

#include <gtest/gtest.h>

#include "tests/controller/bench.h"

namespace cox {
namespace {

class Requeue : public testing::Test, public Bench {
 public:
  Requeue() {
    // So that n1 may fail any number of times.
    config.failures_to_avoid = config.failures_to_drain = 0;
    config.launch_retry_max = Milliseconds{8'000};
    restart();
    node("n1", 2);
  }

  // Reports that the job's supervisor on n1 died, so the attempt ends without an exit code.
  void lose_supervisor(JobId id) {
    auto lost = status_of(id, NodePhase::Gone);
    lost.supervisor_lost = true;
    status("n1", lost);
  }
  // Returns the number of seconds until the job starts again, or -1 if it does not start within a
  // minute.
  int seconds_until_start(JobId id) {
    for (int s = 0; s <= 60; ++s) {
      if (state(id) != "PENDING") return s;
      pass_with_beats(Milliseconds{1'000}, {"n1"});
    }
    return -1;
  }
  void run_in_vain(JobId id) {
    ready(id);
    ASSERT_EQ(state(id), "RUNNING");
    lose_supervisor(id);
  }
  JobView view(JobId id) { return std::get<JobDetail>(ask(ShowJob{id}).body).view; }
};

TEST_F(Requeue, AJobWithoutProgressWaitsLongerEachTimeAndIsHeldInTheEnd) {
  const JobId id = submit({.checkpoint_signal = 10});
  std::vector<int> waits;
  for (int i = 1; i < attempts_without_progress_max; ++i) {
    run_in_vain(id);
    waits.push_back(seconds_until_start(id));
  }
  EXPECT_EQ(waits, (std::vector<int>{0, 1, 2, 4, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8}));
  run_in_vain(id);
  EXPECT_EQ(state(id), "PENDING");
  EXPECT_TRUE(job(id).job.held);
  EXPECT_EQ(view(id).reason, WaitReason::JobHoldMaxRequeue);
  EXPECT_EQ(view(id).reason_detail,
            "16 attempts in a row ended without a new checkpoint, the last: supervisor lost on "
            "node n1");
  ask(ActOnJobs{JobVerb::Release, {id}});
  EXPECT_EQ(state(id), "CONFIGURING") << "it has as many attempts again";
  run_in_vain(id);
  EXPECT_EQ(seconds_until_start(id), 0);
}

TEST_F(Requeue, AJobThatWaitsAfterFutileAttemptsShowsWhyAndUntilWhen) {
  const JobId id = submit({});
  for (int i = 0; i < 4; ++i) {
    ASSERT_GE(seconds_until_start(id), 0);
    run_in_vain(id);
  }
  EXPECT_EQ(view(id).reason, WaitReason::BeginTime);
  EXPECT_EQ(view(id).reason_detail.substr(0, 82),
            "attempts in a row without a new checkpoint: 4, the last: supervisor lost on node n");
  EXPECT_EQ(view(id).expected_start, now.wall + Milliseconds{4'000});
}

TEST_F(Requeue, ARestartOfTheControllerForgetsNeitherTheCountNorTheWait) {
  const JobId id = submit({});
  for (int i = 0; i < 4; ++i) {
    ASSERT_GE(seconds_until_start(id), 0);
    run_in_vain(id);
  }
  pass_with_beats(Milliseconds{1'000}, {"n1"});
  restart();
  node("n1", 2);
  EXPECT_EQ(state(id), "PENDING");
  EXPECT_EQ(seconds_until_start(id), 3) << "4 s, of which 1 s has passed";
  run_in_vain(id);
  EXPECT_EQ(seconds_until_start(id), 8) << "the fifth attempt";
}

TEST_F(Requeue, OnlyACheckpointSavedByTheLastAttemptResetsTheWaitBeforeTheNext) {
  const JobId id = submit({});
  for (int i = 0; i < 3; ++i) {
    run_in_vain(id);
    ASSERT_GE(seconds_until_start(id), 0);
  }
  ready(id);
  auto saved = status_of(id, NodePhase::Running);
  saved.ranks = {{0, RankPhase::Running, 0, 0, {{10, 5, 1, false}}, now.wall, {}}};
  status("n1", saved);
  lose_supervisor(id);
  EXPECT_EQ(seconds_until_start(id), 0) << "it saved step 10";
  run_in_vain(id);
  EXPECT_EQ(seconds_until_start(id), 0) << "the first without progress";
  run_in_vain(id);
  EXPECT_EQ(seconds_until_start(id), 1) << "the second";
}

TEST_F(Requeue, AJobThatSavesAndAsksForARequeueStartsEveryFiveSecondsAtMost) {
  const JobId id = submit({.checkpoint_signal = 10});
  for (std::int64_t step = 1; step <= 3; ++step) {
    ready(id);
    auto saved = status_of(id, NodePhase::Gone);
    saved.ranks = {{0, RankPhase::Exited, exit_code_saved, 0, {{step, 5, 1, false}}, now.wall, {}}};
    status("n1", saved);
    ASSERT_EQ(state(id), "PENDING");
    EXPECT_EQ(view(id).reason, WaitReason::BeginTime);
    EXPECT_EQ(view(id).reason_detail.substr(0, 57),
              "its last attempt ended within seconds: it saved and asked");
    EXPECT_EQ(seconds_until_start(id), 5);
  }
  ready(id);
  pass_with_beats(Milliseconds{5'000}, {"n1"});
  auto saved = status_of(id, NodePhase::Gone);
  saved.ranks = {{0, RankPhase::Exited, exit_code_saved, 0, {{9, 5, 1, false}}, now.wall, {}}};
  status("n1", saved);
  EXPECT_EQ(seconds_until_start(id), 0) << "it ran for long enough";
}

TEST_F(Requeue, AJobWithNoRequeueCannotBeRequeuedByAUser) {
  const JobId id = submit({.with = [](JobSpec& s) { s.requeue = false; }});
  ready(id);
  const auto refusal = [&] {
    const auto acted = std::get<Acted>(ask(ActOnJobs{JobVerb::Requeue, {id}}).body);
    return acted.outcomes.at(0).refused.value_or(Refusal{"", ""});
  };
  EXPECT_EQ(refusal().fact, "job 1 may not be requeued (--no-requeue)");
  EXPECT_EQ(refusal().hint, "`scontrol update JobId=1 Requeue=1` allows it");
  finish(id, 1);
  ASSERT_EQ(state(id), "FAILED");
  EXPECT_NE(refusal().hint.find("--resume-from=1"), std::string::npos);
  EXPECT_EQ(state(id), "FAILED");
}

TEST_F(Requeue, APreemptionOrALongRunThatAUserRequeuesIsNotCounted) {
  const JobId id = submit({});
  for (int i = 0; i < 3; ++i) {
    run_in_vain(id);
    ASSERT_GE(seconds_until_start(id), 0);
  }
  ready(id);
  ask(ActOnJobs{JobVerb::Preempt, {id}});
  finish(id, 143);
  EXPECT_EQ(seconds_until_start(id), 0);
  ready(id);
  pass_with_beats(config.launch_retry_max, {"n1"});
  ask(ActOnJobs{JobVerb::Requeue, {id}});
  finish(id, 143);
  EXPECT_EQ(seconds_until_start(id), 0);
  ready(id);
  ask(ActOnJobs{JobVerb::Requeue, {id}});
  finish(id, 143);
  EXPECT_EQ(seconds_until_start(id), 4) << "requeued at once: a script may do that without end";
}

TEST_F(Requeue, ExitCode75IsAFailureUnlessTheJobDeclaresThatItCanSave) {
  const JobId id = submit({.with = [](JobSpec& s) { s.form = JobForm::Batch; }});
  ready(id);
  finish(id, exit_code_saved);
  EXPECT_EQ(state(id), "FAILED");
  EXPECT_EQ(job(id).job.exit_code, 75);
  const JobId saves = submit({.checkpoint_signal = 10});
  ready(saves);
  finish(saves, exit_code_saved, true, 20);
  EXPECT_EQ(seconds_until_start(saves), 5);
  EXPECT_EQ(job(saves).job.attempt.value, 2);
  ready(saves);
  finish(saves, exit_code_saved, true, 20);
  EXPECT_EQ(state(saves), "FAILED") << "it has saved nothing beyond step 20";
}

}  // namespace
}  // namespace cox
