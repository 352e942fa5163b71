// Tests the replies to users who act on jobs and nodes that are in rare states.
#include <gtest/gtest.h>

#include "controller/job/requeue.h"
#include "tests/controller/bench.h"

namespace cox {
namespace {

class ActAnswers : public testing::Test, public Bench {
 protected:
  static std::string text(const Reply& reply) {
    const auto& one = std::get<Acted>(reply.body).outcomes.at(0);
    return one.refused ? one.refused->fact + " / " + one.refused->hint : one.done;
  }
  std::string act(JobVerb verb, JobId id) { return text(ask(ActOnJobs{verb, {id}})); }
  std::string set_down(const std::string& name) {
    return text(ask(ActOnNodes{true, {name}, "bad fan", false, true}));
  }
  std::string resume(const std::string& name) { return text(ask(ActOnNodes{false, {name}, ""})); }
  void carries_out(JobId id) {
    AttemptStatus s = status_of(id, NodePhase::Running);
    s.suspension = attempt(id).suspension;
    status("n1", s);
  }
  JobDetail detail(JobId id) { return std::get<JobDetail>(ask(ShowJob{id}).body); }
  JobId on(const std::string& name, bool requeue = true) {
    return submit({.with = [&](JobSpec& s) {
      s.nodelist = {name};
      s.requeue = requeue;
    }});
  }
};

TEST_F(ActAnswers, AJobSuspendedForAPreemptorStaysSuspendedWhenItIsHeld) {
  database->tables.qos.push_back({"paused", 0, PreemptMode::Suspend, 5'000, {}, {}});
  restart();
  node("n1", 2);
  const JobId paused = submit({.tasks = 2, .qos = "paused"});
  ready(paused);
  carries_out(paused);
  const JobId critical = submit({.tasks = 2, .qos = "critical"});
  ASSERT_EQ(state(paused), "SUSPENDED");
  EXPECT_EQ(act(JobVerb::Resume, paused), "resumes as soon as its CPUs are free");
  EXPECT_EQ(act(JobVerb::Hold, paused), "will stay suspended until released");
  EXPECT_EQ(act(JobVerb::Suspend, paused), "will stay suspended until resumed");
  carries_out(paused);
  ready(critical);
  finish(critical, 0);
  EXPECT_EQ(state(paused), "SUSPENDED");
  EXPECT_EQ(detail(paused).view.reason_detail, "held by a user; `scontrol resume 1` resumes it");
  EXPECT_EQ(detail(paused).view.reason, WaitReason::JobHeldUser);
  EXPECT_EQ(act(JobVerb::Resume, paused), "resumes as soon as its CPUs are free");
  EXPECT_EQ(state(paused), "RUNNING");
  EXPECT_EQ(act(JobVerb::Suspend, paused), "job 1 is just being resumed / try again in a moment");
  carries_out(paused);
  EXPECT_EQ(act(JobVerb::Suspend, paused), "being suspended; other jobs may get its CPUs");
}

TEST_F(ActAnswers, SuspendingASuspendedJobHoldsIt) {
  database->tables.qos.push_back({"paused", 0, PreemptMode::Suspend, 5'000, {}, {}});
  restart();
  node("n1", 2);
  const JobId paused = submit({.tasks = 2, .qos = "paused"});
  ready(paused);
  carries_out(paused);
  submit({.tasks = 2, .qos = "critical"});
  ASSERT_FALSE(job(paused).job.held);
  EXPECT_EQ(act(JobVerb::Suspend, paused), "will stay suspended until resumed");
  EXPECT_TRUE(job(paused).job.held);
}

TEST_F(ActAnswers, AJobThatIsBeingStoppedIsNotStoppedForAnotherReason) {
  node("n1", 4);
  const JobId id = submit({.checkpoint_signal = 10});
  const JobId other = submit({});
  for (const JobId one : {id, other}) ready(one);
  EXPECT_EQ(act(JobVerb::Preempt, id), "asked to save and stop; it is requeued afterwards");
  EXPECT_EQ(act(JobVerb::Preempt, id),
            "job 1 is being stopped: preempted by ada / see `cox history 1`");
  EXPECT_EQ(act(JobVerb::Suspend, id), "Job is pending execution: job 1 does not run / ");
  EXPECT_EQ(act(JobVerb::Requeue, id), "is already being stopped; it is requeued afterwards");
  EXPECT_EQ(act(JobVerb::Requeue, other), "being stopped; it is requeued afterwards");
  EXPECT_EQ(act(JobVerb::Requeue, other),
            "job 2 is being stopped: requeued by ada / try again in a moment, when it has ended; "
            "see `cox history 2`");
}

TEST_F(ActAnswers, TheReplyToAPreemptionSaysWhatBecomesOfTheJob) {
  database->tables.qos.push_back({"ends", 0, PreemptMode::Cancel, 0, {}, {}});
  database->tables.qos.push_back({"firm", 0, PreemptMode::Off, 0, {}, {}});
  restart();
  node("n1", 8);
  const JobId ends = submit({.qos = "ends"}), firm = submit({.qos = "firm"});
  const JobId once =
      submit({.checkpoint_signal = 10, .with = [](JobSpec& s) { s.requeue = false; }});
  for (const JobId id : {ends, firm, once}) ready(id);
  EXPECT_EQ(act(JobVerb::Preempt, ends),
            "being stopped; QOS ends cancels jobs, so it ends as PREEMPTED");
  EXPECT_EQ(act(JobVerb::Preempt, firm),
            "QOS firm is never preempted / use `cox requeue` or `cox cancel`");
  EXPECT_EQ(act(JobVerb::Preempt, once),
            "asked to save and stop; it has --no-requeue, so it ends as PREEMPTED");
  EXPECT_EQ(act(JobVerb::Requeue, once),
            "job 3 may not be requeued (--no-requeue) / `scontrol update JobId=3 Requeue=1` allows "
            "it");
}

TEST_F(ActAnswers, APartitionWithPreemptModeOffRefusesAPreemption) {
  config.partitions[0].preempt_mode = PreemptMode::Off;
  restart();
  node("n1", 2);
  const JobId id = submit({});
  ready(id);
  EXPECT_EQ(act(JobVerb::Preempt, id),
            "partition main is never preempted / use `cox requeue` or `cox cancel`");
}

TEST_F(ActAnswers, AnAllocationOrAJobWhoseSourceCheckpointIsGoneIsNotRequeued) {
  node("n1", 4);
  const JobId allocation =
      submit({.with = [](JobSpec& s) { s.form = JobForm::Allocation, s.command = {}; }});
  ready(allocation);
  EXPECT_EQ(act(JobVerb::Requeue, allocation),
            "job 1 is an allocation, which cannot be requeued / `cox cancel 1` ends it");
  act(JobVerb::Cancel, allocation);
  status("n1", status_of(allocation, NodePhase::Gone));
  EXPECT_EQ(act(JobVerb::Requeue, allocation),
            "job 1 is an allocation, which cannot be requeued / ask for a new one");
  const JobId source = submit({.checkpoint_signal = 10});
  ready(source);
  finish(source, 3, true, 40);
  const JobId from_it = submit({.with = [&](JobSpec& s) {
    s.resume_from = {source, 40, {}, "", 0};
    s.hold = true;
  }});
  act(JobVerb::Cancel, from_it);
  ASSERT_FALSE(std::get<Acted>(ask(RemoveCheckpoints{source, -1}).body).outcomes.at(0).refused);
  EXPECT_EQ(
      act(JobVerb::Requeue, from_it),
      "the checkpoint from which job 3 starts was removed or is damaged / submit it again with "
      "another --resume-from");
  EXPECT_EQ(act(JobVerb::Requeue, source), "requeued; it begins anew");
}

TEST_F(ActAnswers, ARequeuedJobResumesFromItsOwnCheckpointThoughItsSourceIsGone) {
  node("n1", 4);
  const JobId source = submit({.checkpoint_signal = 10});
  ready(source);
  finish(source, 3, true, 40);
  const JobId id = submit({.with = [&](JobSpec& s) { s.resume_from = {source, 40, {}, "", 0}; }});
  ready(id);
  finish(id, 3, true, 50);
  ask(RemoveCheckpoints{source, -1});
  EXPECT_EQ(act(JobVerb::Requeue, id), "requeued; it is to resume from step 50, if that verifies");
}

TEST_F(ActAnswers, TheReplyToSettingANodeDownCountsTheJobsThatItEnds) {
  for (const char* name : {"n1", "n2", "n3"}) node(name, 4);
  EXPECT_EQ(set_down("n3"), "down");
  ready(on("n1"));
  EXPECT_EQ(set_down("n1"), "down: 1 job is ended");
  EXPECT_EQ(resume("n1"), "takes work again");
  const JobId gang = submit({.nodes = 2, .tasks = 2});
  ready(gang);
  act(JobVerb::Cancel, gang);
  status("n2", status_of(gang, NodePhase::Gone));
  EXPECT_EQ(set_down("n2"), "down") << "nothing of the job is left there";
}

TEST_F(ActAnswers, TheJobsOfASilentNodeThatIsSetDownEndWithItsLease) {
  node("n1", 2);
  const JobId id = submit({.tasks = 2});
  ready(id);
  pass(config.node_timeout + Milliseconds{1'000});
  EXPECT_EQ(set_down("n1"),
            "down: 1 job is ended when its lease ends; if it is powered off, `cox fence n1 "
            "--confirm` ends them now");
  EXPECT_EQ(state(id), "COMPLETING");
  EXPECT_EQ(attempt(id).stop.detail, "node n1 was set DOWN: bad fan");
}

TEST_F(ActAnswers, TheReplyToTheResumeOfANodeSaysThatItsOldAttemptsMustEndFirst) {
  node("n1", 2);
  const JobId id = submit({});
  ready(id);
  finish(id, 0);
  ask(ActOnNodes{true, {"n1"}, "bad fan"});
  beat("n1", {{attempt(id).key, 99, NodePhase::Running, 0}});
  EXPECT_EQ(resume("n1"), "takes work again once its old attempts have ended");
}

TEST_F(ActAnswers, SeveralRunningJobsAreWrittenInThePlural) {
  node("n1", 4);
  for (int i = 0; i < 2; ++i) ready(on("n1"));
  EXPECT_EQ(text(ask(ActOnNodes{true, {"n1"}, "bad fan"})), "draining: 2 jobs still run");
}

TEST_F(ActAnswers, AnAllocationThatHasNotStartedIsCancelledByItsClient) {
  const JobId id =
      submit({.with = [](JobSpec& s) { s.form = JobForm::Allocation, s.command = {}; }});
  EXPECT_EQ(text(ask(EndAllocation{id, 0, 0})), "cancelled");
  EXPECT_EQ(text(ask(EndAllocation{id, 0, 0})), "had already ended: CANCELLED");
  EXPECT_EQ(text(ask(EndAllocation{JobId{9}, 0, 0})), "there is no job 9 / ");
}

TEST_F(ActAnswers, AnAllocationHasTheExitCodeOfItsFirstEnd) {
  node("n1", 2);
  const JobId id =
      submit({.with = [](JobSpec& s) { s.form = JobForm::Allocation, s.command = {}; }});
  ready(id);
  EXPECT_EQ(text(ask(EndAllocation{id, 3, 0})), "given back");
  EXPECT_EQ(text(ask(EndAllocation{id, 5, 9})), "given back");
  EXPECT_EQ(job(id).job.exit_code, 3);
  EXPECT_EQ(job(id).job.exit_signal, 0);
}

}  // namespace
}  // namespace cox
