// Tests from which checkpoint an attempt begins if files cannot be read, or are damaged. A job that
// has a committed checkpoint never begins anew unless its owner says so.
#include "controller/ledger/resume.h"

#include <gtest/gtest.h>

#include "common/base/text.h"
#include "tests/controller/bench.h"

namespace cox {
namespace {

class Resume : public testing::Test, public Bench {
 protected:
  // Returns a pending job that has saved steps 10 and 20, and was preempted.
  JobId preempted_job(bool by_exit = false) {
    const JobId id = submit({.checkpoint_signal = 10});
    ready(id);
    auto s = status_of(id, NodePhase::Running);
    s.ranks = {
        {0, RankPhase::Running, 0, 0, {{10, 5, 1}, {20, 5, 1, false, by_exit}}, now.wall, {}}};
    const std::string node = attempt(id).nodes.at(0).grant.node;
    status(node, s);
    ask(ActOnJobs{JobVerb::Preempt, {id}});
    s.phase = NodePhase::Gone;
    s.ranks[0].phase = RankPhase::Exited;
    s.ranks[0].exit_signal = 15;
    status(node, s);
    await_start(id);
    return id;
  }
  void await_start(JobId id) {
    std::vector<std::string> all;
    for (const auto& [name, n] : controller->cluster().nodes().all()) all.push_back(name);
    for (int s = 0; s < 60 && state(id) == "PENDING" && !job(id).job.held; ++s)
      pass_with_beats(Milliseconds{1'000}, all);
  }
  // The node of the job's attempt reports why it could not verify the checkpoint.
  void refuse(JobId id, ResumeFault fault, const std::string& why) {
    auto refused = status_of(id, NodePhase::Gone);
    refused.refused = why;
    refused.node_at_fault = fault == ResumeFault::Unreadable;
    refused.resume_fault = fault;
    refused.resume_damaged = fault == ResumeFault::Differs;
    status(attempt(id).nodes.at(0).grant.node, refused);
    await_start(id);
  }
  std::string refused_act(JobVerb verb, JobId id, std::int64_t step = -1) {
    const auto outcome = std::get<Acted>(ask(ActOnJobs{verb, {id}, {}, step}).body).outcomes.at(0);
    return outcome.refused ? outcome.refused->fact : outcome.done;
  }
  std::int64_t resumes_from(JobId id) {
    const Attempt& live = attempt(id);
    return live.resume ? live.resume->step : -1;
  }
  Checkpoint checkpoint(JobId id, std::int64_t step) {
    for (const Checkpoint& c : job(id).checkpoints)
      if (c.step == step) return c;
    ADD_FAILURE() << "there is no checkpoint of step " << step;
    return {};
  }
  bool is_damaged(JobId id, std::int64_t step) { return checkpoint(id, step).damaged; }
};

TEST_F(Resume, FilesThatOneNodeCannotReadAreReadOnAnother) {
  node("n1", 1), node("n2", 1);
  const JobId id = preempted_job();
  const std::string first = attempt(id).nodes.at(0).grant.node;
  refuse(id, ResumeFault::Unreadable, "step-20/rank-0.manifest: cannot read: Stale file handle");
  EXPECT_NE(attempt(id).nodes.at(0).grant.node, first);
  EXPECT_EQ(resumes_from(id), 20);
  EXPECT_FALSE(is_damaged(id, 20));
  ready(id);
  EXPECT_EQ(state(id), "RUNNING");
}

TEST_F(Resume, AJobWhoseCheckpointNoNodeCanReadIsHeldWithThePathAndTheError) {
  node("n1", 1), node("n2", 1);
  const JobId id = preempted_job();
  const std::string why = "step-20/rank-0.manifest: cannot read: No such file or directory";
  refuse(id, ResumeFault::Unreadable, why);
  refuse(id, ResumeFault::Unreadable, why);
  EXPECT_TRUE(job(id).job.held);
  EXPECT_NE(job(id).job.held_why->find(why), std::string::npos) << *job(id).job.held_why;
  const std::string number = std::to_string(id.value);
  const std::string told =
      "its checkpoint cannot be read on " + joined(job(id).job.avoid_nodes, ", ") +
      " (step 20: " + why + "); put the files back, and `cox release " + number +
      "` tries again; `cox release --begin-anew " + number + "` starts it without its checkpoints";
  EXPECT_EQ(*job(id).job.held_why, told);
  EXPECT_EQ(std::get<JobDetail>(ask(ShowJob{id}).body).view.reason_detail, told);
  EXPECT_FALSE(is_damaged(id, 20));
  EXPECT_TRUE(controller->cluster().node("n1")->failures.empty()) << "the files may be gone";
  refused_act(JobVerb::Release, id);
  await_start(id);
  EXPECT_EQ(resumes_from(id), 20);
}

TEST_F(Resume, AHoldNamesTheNodeThatSavedTheCheckpointIfItWasNotAsked) {
  node("n1", 1);
  const JobId id = preempted_job();
  for (const char* name : {"n2", "n3", "n4"}) node(name, 1);
  ask(ActOnNodes{true, {"n1"}, "disk"});
  refuse(id, ResumeFault::None, "no such user");
  for (int i = 0; i < 3; ++i)
    refuse(id, ResumeFault::Unreadable, "step-20: cannot read: No such file or directory");
  ASSERT_TRUE(job(id).job.held);
  EXPECT_NE(job(id).job.held_why->find("; n1 saved it and was not asked; put the files back"),
            std::string::npos)
      << *job(id).job.held_why;
}

TEST_F(Resume, AWorkerOfThePreviousVersionDoesNotSayWhetherItHasReadTheFiles) {
  node("n1", 1), node("n2", 1);
  const JobId id = preempted_job();
  auto refused = status_of(id, NodePhase::Gone);
  refused.refused = "step-20/rank-0: missing, or cannot be read";
  refused.node_at_fault = false;
  refused.resume_damaged = true;
  status(attempt(id).nodes.at(0).grant.node, refused);
  await_start(id);
  EXPECT_FALSE(is_damaged(id, 20));
  EXPECT_EQ(resumes_from(id), 20);
}

TEST_F(Resume, AJobWithoutAUsableCheckpointIsHeldAndDoesNotBeginAnew) {
  node("n1", 1);
  const JobId id = preempted_job();
  refuse(id, ResumeFault::Differs, "step-20/rank-0: its content has changed");
  EXPECT_EQ(resumes_from(id), 10);
  refuse(id, ResumeFault::Differs, "step-10/rank-0: its content has changed");
  EXPECT_EQ(state(id), "PENDING");
  const std::string number = std::to_string(id.value);
  EXPECT_EQ(*job(id).job.held_why,
            "its checkpoints of steps 10, 20 are damaged (step-10/rank-0: its content has "
            "changed); `cox release --begin-anew " +
                number + "` starts it without them");
}

TEST_F(Resume, AReleaseLooksAtDamagedCheckpointsAgain) {
  node("n1", 1);
  const JobId id = preempted_job();
  refuse(id, ResumeFault::Differs, "changed");
  refuse(id, ResumeFault::Differs, "changed");
  EXPECT_EQ(refused_act(JobVerb::Release, id), "released");
  await_start(id);
  ASSERT_EQ(resumes_from(id), 20);
  ready(id);
  EXPECT_FALSE(is_damaged(id, 20)) << "it verifies now";
  EXPECT_TRUE(is_damaged(id, 10));
}

TEST_F(Resume, ADamagedCheckpointIsLookedAtAgainOnceTheJobHasRun) {
  node("n1", 1);
  const JobId id = preempted_job();
  refuse(id, ResumeFault::Differs, "changed");
  ASSERT_EQ(resumes_from(id), 10);
  ready(id);
  EXPECT_EQ(job(id).job.why,
            "its node is ready; it resumes from step 10, because its checkpoint of step 20 is "
            "damaged");
  ask(ActOnJobs{JobVerb::Preempt, {id}});
  finish(id, 0);
  await_start(id);
  EXPECT_EQ(resumes_from(id), 20);
}

TEST_F(Resume, TheFilesOfADamagedCheckpointStayWhenItsJobEnds) {
  node("n1", 1);
  const JobId id = preempted_job();
  refuse(id, ResumeFault::Differs, "changed");
  ready(id);
  ASSERT_TRUE(is_damaged(id, 20));
  take<RemoveCheckpoint>();
  finish(id, 1);
  ASSERT_EQ(state(id), "FAILED");
  EXPECT_TRUE(take<RemoveCheckpoint>().empty());
  EXPECT_FALSE(checkpoint(id, 20).pruned) << "one node's word deletes nothing";
}

TEST_F(Resume, AJobBeginsAnewIfItsOwnerSaysSoAndKeepsTheFiles) {
  node("n1", 1);
  const JobId id = preempted_job();
  EXPECT_EQ(refused_act(JobVerb::BeginAnew, id),
            "job " + std::to_string(id.value) + " is not pending");
  refuse(id, ResumeFault::Differs, "changed");
  refuse(id, ResumeFault::Differs, "changed");
  take<RemoveCheckpoint>();
  EXPECT_EQ(refused_act(JobVerb::BeginAnew, id), "released; it begins anew");
  await_start(id);
  EXPECT_EQ(resumes_from(id), -1);
  for (const auto& [peer, order] : take<RemoveCheckpoint>()) EXPECT_LT(order.step, 0);
  ready(id);
  auto s = status_of(id, NodePhase::Running);
  s.ranks = {{0, RankPhase::Running, 0, 0, {{5, 5, 1}}, now.wall, {}}};
  status("n1", s);
  EXPECT_EQ(job(id).newest_checkpoint()->step, 5) << "its steps count from 0 again";
}

// A partial restore of the database: how many ranks saved follows from the nodes of the attempt.
TEST_F(Resume, ACheckpointHasItsRanksAlsoIfTheirRowsAreMissing) {
  node("n1", 3);
  const JobId id = submit({.tasks = 3});
  ready(id);
  auto s = status_of(id, NodePhase::Running);
  for (std::int32_t rank = 0; rank < 3; ++rank)
    s.ranks.push_back({rank, RankPhase::Running, 0, 0, {{10, 5, 1}}, now.wall, {}});
  status("n1", s);
  ask(ActOnJobs{JobVerb::Requeue, {id}});
  finish(id, 0);
  for (auto& [key, row] : database->tables.attempts) row.ranks.clear();
  restart();
  node("n1", 3);
  await_start(id);
  EXPECT_EQ(resumes_from(id), 10);
  EXPECT_EQ(take<Prepare>().back().second.launch.resume_ranks, 3);
}

// ---- an older checkpoint ---------------------------------------------------------------------

TEST_F(Resume, ARunningJobIsRequeuedFromAnOlderCheckpoint) {
  node("n1", 1);
  const JobId id = preempted_job();
  ready(id);
  take<Stop>();
  EXPECT_EQ(refused_act(JobVerb::RequeueFrom, id, 10),
            "being stopped; it is to resume from step 10, if that verifies");
  EXPECT_FALSE(take<Stop>().at(0).second.order.ask_checkpoint) << "its present state is not wanted";
  auto s = status_of(id, NodePhase::Gone);
  s.ranks = {{0, RankPhase::Exited, 0, 15, {{30, 5, 1, true}}, now.wall, now.wall}};
  status("n1", s);
  EXPECT_TRUE(checkpoint(id, 30).set_aside) << "nor what it saves while it is stopped";
  await_start(id);
  EXPECT_EQ(resumes_from(id), 10);
  EXPECT_TRUE(checkpoint(id, 20).set_aside);
}

TEST_F(Resume, AJobReturnsToACheckpointThatWasSetAside) {
  node("n1", 1);
  const JobId id = preempted_job();
  ready(id);
  refused_act(JobVerb::Hold, id);
  refused_act(JobVerb::RequeueFrom, id, 10);
  finish(id, 0);
  EXPECT_EQ(refused_act(JobVerb::RequeueFrom, id, 20),
            "it is to resume from step 20, if that verifies; it is held");
  refused_act(JobVerb::Release, id);
  await_start(id);
  EXPECT_EQ(resumes_from(id), 20);
}

TEST_F(Resume, AStepWithoutACheckpointIsRefusedAndNothingChanges) {
  node("n1", 1);
  const JobId id = preempted_job();
  ready(id);
  EXPECT_EQ(refused_act(JobVerb::RequeueFrom, id, 15),
            "job " + std::to_string(id.value) + " has no checkpoint of step 15");
  EXPECT_EQ(state(id), "RUNNING");
  EXPECT_FALSE(checkpoint(id, 20).set_aside);
}

TEST_F(Resume, AStepOfAJobWithoutCheckpointsIsRefusedOnceAndWithTheNextStep) {
  node("n1", 1);
  const JobId id = submit({.checkpoint_signal = 10});
  ready(id);
  const auto outcome =
      std::get<Acted>(ask(ActOnJobs{JobVerb::RequeueFrom, {id}, {}, 15}).body).outcomes.at(0);
  ASSERT_TRUE(outcome.refused);
  EXPECT_EQ(outcome.refused->fact, "job " + std::to_string(id.value) + " has no checkpoints");
  EXPECT_EQ(outcome.refused->hint, "requeue it without --from; it then begins anew");
}

// A checkpoint may verify and still be bad, such as one with a NaN in it.
TEST_F(Resume, AfterTwoFailuresFromOneCheckpointTheNextAttemptTakesTheOneBefore) {
  node("n1", 1);
  const JobId id = preempted_job();
  ready(id);
  finish(id, 1);
  refused_act(JobVerb::Requeue, id);
  await_start(id);
  EXPECT_EQ(resumes_from(id), 20) << "one failure proves nothing about the checkpoint";
  ready(id);
  finish(id, 1);
  EXPECT_EQ(refused_act(JobVerb::Requeue, id),
            "requeued; it is to resume from step 10, if that verifies");
  await_start(id);
  EXPECT_EQ(resumes_from(id), 10);
  ready(id);
  finish(id, 1);
  refused_act(JobVerb::Requeue, id);
  await_start(id);
  ready(id);
  finish(id, 1);
  EXPECT_EQ(refused_act(JobVerb::Requeue, id),
            "requeued; it is to resume from step 10, if that verifies")
      << "there is none before it, and no job begins anew unasked";
}

// It may be half of a save.
TEST_F(Resume, AfterOneFailureFromACheckpointByExitCodeAloneTheNextAttemptTakesTheOneBefore) {
  node("n1", 1);
  const JobId id = preempted_job(true);
  ASSERT_EQ(resumes_from(id), 20);
  ready(id);
  finish(id, 1);
  EXPECT_EQ(refused_act(JobVerb::Requeue, id),
            "requeued; it is to resume from step 10, if that verifies");
  EXPECT_TRUE(checkpoint(id, 20).set_aside);
}

// What its owner chose is not set aside again by an attempt that never ran.
TEST_F(Resume, ALaunchThatFailsSaysNothingAboutTheCheckpoint) {
  node("n1", 1), node("n2", 1);
  const JobId id = preempted_job();
  for (int k = 0; k < 2; ++k) {
    ready(id);
    finish(id, 1);
    if (k == 0) refused_act(JobVerb::Requeue, id);
    if (k == 0) await_start(id);
  }
  ASSERT_TRUE(checkpoint(id, 20).set_aside);
  refused_act(JobVerb::RequeueFrom, id, 20);
  await_start(id);
  ASSERT_EQ(resumes_from(id), 20);
  refuse(id, ResumeFault::Unreadable, "step-20: Stale file handle");
  EXPECT_FALSE(checkpoint(id, 20).set_aside);
  EXPECT_EQ(resumes_from(id), 20) << "on the other node";
}

TEST_F(Resume, AnotherJobBeginsFromWhatIsNotSetAsideUnlessItNamesTheStep) {
  node("n1", 1);
  const JobId id = preempted_job();
  ready(id);
  refused_act(JobVerb::RequeueFrom, id, 10);
  EXPECT_EQ(find_checkpoint(controller->cluster(), id, -1)->checkpoint.step, 10);
  EXPECT_EQ(find_checkpoint(controller->cluster(), id, 20)->checkpoint.step, 20);
}

TEST_F(Resume, AFailureAfterANewCheckpointSaysNothingAboutTheOneBefore) {
  node("n1", 1);
  const JobId id = preempted_job();
  ready(id);
  finish(id, 1);
  refused_act(JobVerb::Requeue, id);
  await_start(id);
  ready(id);
  auto s = status_of(id, NodePhase::Running);
  s.ranks = {{0, RankPhase::Running, 0, 0, {{30, 5, 1}}, now.wall, {}}};
  status("n1", s);
  finish(id, 1);
  EXPECT_EQ(refused_act(JobVerb::Requeue, id),
            "requeued; it is to resume from step 30, if that verifies");
}

}  // namespace
}  // namespace cox
