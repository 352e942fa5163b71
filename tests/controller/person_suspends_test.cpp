// Tests that a job that a user suspends stays suspended until a user resumes it, even if its CPUs
// are free, and that a job that is requeued and held waits until it is released.
#include <gtest/gtest.h>

#include "tests/controller/bench.h"

namespace cox {
namespace {

class PersonSuspends : public testing::Test, public Bench {
 protected:
  std::string act(JobVerb verb, JobId id) {
    const auto acted = std::get<Acted>(ask(ActOnJobs{verb, {id}}).body);
    return acted.outcomes.at(0).refused ? acted.outcomes[0].refused->fact : "";
  }
  void carries_out(JobId id, const std::string& node) {
    AttemptStatus s = status_of(id, NodePhase::Running);
    s.suspension = attempt(id).suspension;
    status(node, s);
  }
  JobId running(std::int64_t tasks) {
    const JobId id = submit({.tasks = tasks});
    ready(id);
    carries_out(id, "n1");
    return id;
  }
};

TEST_F(PersonSuspends, AJobSuspendedByAUserStaysSuspendedThoughItsCpusAreFree) {
  node("n1", 2);
  const JobId id = running(2);
  EXPECT_EQ(act(JobVerb::Suspend, id), "");
  EXPECT_EQ(state(id), "SUSPENDED");
  EXPECT_EQ(job(id).job.why, "suspended by ada");
  pass_with_beats(Milliseconds{90'000}, {"n1"});
  EXPECT_EQ(state(id), "SUSPENDED") << "however late its node reports";
  carries_out(id, "n1");
  pass_with_beats(Milliseconds{90'000}, {"n1"});
  EXPECT_EQ(state(id), "SUSPENDED");
  EXPECT_EQ(std::get<JobDetail>(ask(ShowJob{id}).body).view.reason_detail,
            "suspended by ada; `scontrol resume 1` resumes it");
  EXPECT_EQ(act(JobVerb::Resume, id), "");
  EXPECT_EQ(state(id), "RUNNING");
  EXPECT_EQ(act(JobVerb::Resume, id), "Job is not suspended: job 1 is RUNNING");
}

TEST_F(PersonSuspends, OtherJobsGetTheCpusOfASuspendedJobAndItResumesWhenTheyAreFree) {
  node("n1", 2);
  const JobId id = running(2);
  const JobId other = submit({.tasks = 2});
  EXPECT_EQ(state(other), "PENDING");
  act(JobVerb::Suspend, id);
  carries_out(id, "n1");
  EXPECT_EQ(state(other), "CONFIGURING");
  ready(other);
  EXPECT_EQ(act(JobVerb::Resume, id), "");
  EXPECT_EQ(state(id), "SUSPENDED");
  finish(other, 0);
  EXPECT_EQ(state(id), "RUNNING");
  EXPECT_EQ(job(id).attempts.size(), 1u);
}

// The worker's report replaces the controller's own count of the run time, since the worker
// measures when the ranks really started and stopped.
TEST_F(PersonSuspends, TheTimeLeftFollowsTheWorkersReportAndDoesNotRunWhileSuspended) {
  node("n1", 2);
  const JobId id = submit({.tasks = 2, .time_limit_s = 100});
  ready(id);
  carries_out(id, "n1");
  const auto left_ms = [&] { return std::get<JobDetail>(ask(ShowJob{id}).body).view.left_ms; };
  pass_with_beats(Milliseconds{40'000}, {"n1"});
  EXPECT_EQ(left_ms(), 60'000);
  beat("n1", {{attempt(id).key, attempt(id).nodes.at(0).revision, NodePhase::Running, 70'000, 0}});
  EXPECT_EQ(left_ms(), 30'000);
  act(JobVerb::Suspend, id);
  EXPECT_EQ(left_ms(), 30'000) << "the last report of the worker still holds";
  carries_out(id, "n1");
  pass_with_beats(Milliseconds{300'000}, {"n1"});
  EXPECT_EQ(state(id), "SUSPENDED");
  act(JobVerb::Resume, id);
  ASSERT_EQ(state(id), "RUNNING");
  EXPECT_EQ(left_ms(), 60'000) << "by the controller's clock, until the worker reports again";
  beat("n1", {{attempt(id).key, attempt(id).nodes.at(0).revision, NodePhase::Running, 71'000, 1}});
  EXPECT_EQ(left_ms(), 29'000);
}

TEST_F(PersonSuspends, ARestartedControllerLeavesTheJobSuspended) {
  node("n1", 2);
  const JobId id = running(2);
  act(JobVerb::Suspend, id);
  carries_out(id, "n1");
  restart();
  pass(Milliseconds{60'000});
  EXPECT_EQ(state(id), "SUSPENDED");
  EXPECT_TRUE(job(id).job.held);
}

TEST_F(PersonSuspends, AJobThatDoesNotRunCannotBeSuspended) {
  const JobId id = submit({});
  EXPECT_EQ(act(JobVerb::Suspend, id), "Job is pending execution: job 1 does not run");
  EXPECT_EQ(act(JobVerb::RequeueHold, id), "");
  EXPECT_TRUE(job(id).job.held) << "the job is pending already, so it is only held";
}

TEST_F(PersonSuspends, ARequeuedAndHeldJobWaitsUntilItIsReleased) {
  node("n1", 2);
  const JobId id = running(1);
  EXPECT_EQ(act(JobVerb::RequeueHold, id), "");
  finish(id, 0);
  EXPECT_EQ(state(id), "PENDING");
  pass_with_beats(Milliseconds{60'000}, {"n1"});
  EXPECT_EQ(state(id), "PENDING");
  EXPECT_EQ(act(JobVerb::Release, id), "");
  EXPECT_EQ(state(id), "CONFIGURING");
}

}  // namespace
}  // namespace cox
