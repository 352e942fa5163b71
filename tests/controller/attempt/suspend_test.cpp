// Tests a QOS with PreemptMode=SUSPEND in the controller: a suspended job frees its CPUs, keeps its
// memory and GPUs, and resumes on the same nodes.
#include <gtest/gtest.h>

#include "controller/feed/engine_input.h"
#include "tests/controller/bench.h"

namespace cox {
namespace {

class SuspendStory : public testing::Test, public Bench {
 protected:
  SuspendStory() {
    database->tables.qos.push_back({"paused", 0, PreemptMode::Suspend, 5'000, {}, {}});
    restart();
  }

  // Reports that this node has carried out the last order to suspend or resume the job.
  void carries_out(JobId id, const std::string& node) {
    AttemptStatus s = status_of(id, NodePhase::Running);
    s.suspension = attempt(id).suspension;
    status(node, s);
  }
  std::vector<Heartbeat::Entry> entry_of(JobId id, std::int64_t suspension,
                                         std::int64_t ran_ms = 0) {
    return {{attempt(id).key, attempt(id).nodes.at(0).revision, NodePhase::Running, ran_ms,
             suspension}};
  }
  // Starts a job of QOS "paused" on all of n1, and submits a critical job, for which the first is
  // suspended. Returns both.
  std::pair<JobId, JobId> victim_and_preemptor() {
    node("n1", 2);
    const JobId paused = submit({.tasks = 2, .qos = "paused", .checkpoint_signal = 10});
    ready(paused);
    carries_out(paused, "n1");
    const JobId critical = submit({.tasks = 2, .qos = "critical"});
    return {paused, critical};
  }
};

TEST_F(SuspendStory, ThePreemptorGetsTheCpusOnceTheVictimIsSuspendedAndTheVictimResumes) {
  const auto [paused, critical] = victim_and_preemptor();
  EXPECT_EQ(state(paused), "SUSPENDED");
  EXPECT_EQ(job(paused).job.why, "suspended for job 2, which gets its CPUs");
  EXPECT_TRUE(take<Stop>().empty());
  const auto orders = take<Suspend>();
  ASSERT_EQ(orders.size(), 1u);
  EXPECT_EQ(orders[0].second.order, (Suspension{1, true}));
  EXPECT_EQ(state(critical), "PENDING") << "the victim may still run";

  carries_out(paused, "n1");
  EXPECT_EQ(state(critical), "CONFIGURING");
  EXPECT_EQ(nodes(critical), "n1");
  ready(critical);
  finish(critical, 0);
  EXPECT_EQ(state(paused), "RUNNING");
  EXPECT_EQ(take<Suspend>().back().second.order, (Suspension{2, false}));
  EXPECT_EQ(job(paused).attempts.size(), 1u) << "nothing is lost";
  finish(paused, 0);
  EXPECT_EQ(state(paused), "COMPLETED");
}

TEST_F(SuspendStory, AGangFreesItsCpusWhenAllItsNodesHaveSuspendedIt) {
  node("n1", 2);
  node("n2", 2);
  const JobId paused = submit({.nodes = 2, .tasks = 4, .qos = "paused"});
  ready(paused);
  const JobId critical = submit({.tasks = 2, .qos = "critical"});
  EXPECT_EQ(take<Suspend>().size(), 2u);
  carries_out(paused, "n1");
  EXPECT_EQ(state(critical), "PENDING");
  carries_out(paused, "n2");
  EXPECT_EQ(state(critical), "CONFIGURING");
  const JobId small = submit({.tasks = 2, .qos = "paused"});
  EXPECT_EQ(state(small), "PENDING") << "its free CPUs stay reserved for the gang";
  ready(critical);
  finish(critical, 0);
  EXPECT_EQ(state(paused), "RUNNING");
}

TEST_F(SuspendStory, ANodeThatMissedAnOrderReceivesTheCurrentOneAgain) {
  const auto [paused, critical] = victim_and_preemptor();
  take<Suspend>();
  beat("n1", entry_of(paused, 0));
  ASSERT_EQ(take<Suspend>().size(), 1u);
  carries_out(paused, "n1");
  beat("n1", entry_of(paused, 1));
  EXPECT_TRUE(take<Suspend>().empty());
  ask(ActOnJobs{JobVerb::Cancel, {critical}});
  finish(critical, 0);
  ASSERT_EQ(state(paused), "RUNNING");
  take<Suspend>();
  beat("n1", entry_of(paused, 1));
  const auto again = take<Suspend>();
  ASSERT_EQ(again.size(), 1u);
  EXPECT_EQ(again[0].second.order, (Suspension{2, false}));
  AttemptStatus late = status_of(paused, NodePhase::Running);
  late.suspension = {1, true};
  status("n1", late);
  EXPECT_EQ(state(paused), "RUNNING");
}

TEST_F(SuspendStory, ARestartedControllerKnowsTheSuspendedJobs) {
  const auto [paused, critical] = victim_and_preemptor();
  carries_out(paused, "n1");
  ready(critical);
  take<Suspend>();
  restart();
  EXPECT_EQ(state(paused), "SUSPENDED");
  EXPECT_EQ(state(critical), "RUNNING");
  WorkerHello hello;
  hello.node = *controller->cluster().node("n1");
  hello.session = session["n1"];
  hello.number = ++numbers["n1"];
  hello.term_seen = controller->cluster().term();
  for (const JobId id : {paused, critical}) {
    AttemptStatus s = status_of(id, NodePhase::Running);
    s.revision = attempt(id).nodes.at(0).revision;
    hello.attempts.push_back(s);
  }
  hello.attempts.front().suspension = {1, true};
  deliver("n1", hello);
  EXPECT_TRUE(take<Suspend>().empty());
  finish(critical, 0);
  EXPECT_EQ(state(paused), "RUNNING");
}

TEST_F(SuspendStory, ASuspendedJobCanBeStoppedAndAskedToSave) {
  const auto [paused, critical] = victim_and_preemptor();
  carries_out(paused, "n1");
  take<Suspend>();
  ask(ActOnJobs{JobVerb::Requeue, {paused}});
  EXPECT_EQ(state(paused), "SIGNALING");
  const auto stops = take<Stop>();
  ASSERT_EQ(stops.size(), 1u);
  EXPECT_TRUE(stops[0].second.order.ask_checkpoint);
  beat("n1", entry_of(paused, 0));
  EXPECT_TRUE(take<Suspend>().empty()) << "the job is to end";
  finish(paused, 75, true, 7);
  EXPECT_EQ(state(paused), "PENDING");
}

TEST_F(SuspendStory, TheTimeLimitDoesNotCountWhileAJobIsSuspended) {
  node("n1", 2);
  const JobId paused = submit({.tasks = 2, .qos = "paused", .time_limit_s = 100});
  ready(paused);
  carries_out(paused, "n1");
  pass_with_beats(Milliseconds{60'000}, {"n1"});
  const JobId critical = submit({.tasks = 2, .qos = "critical"});
  carries_out(paused, "n1");
  ready(critical);
  for (int second = 0; second < 300; ++second) {
    beat("n1", [&] {
      auto entries = entry_of(paused, 1, 60'000);
      entries.push_back(
          {attempt(critical).key, attempt(critical).nodes.at(0).revision, NodePhase::Ready, 0, 0});
      return entries;
    }());
    pass(Milliseconds{1'000});
  }
  EXPECT_EQ(state(paused), "SUSPENDED");
  finish(critical, 0);
  ASSERT_EQ(state(paused), "RUNNING");
  carries_out(paused, "n1");
  pass(Milliseconds{30'000});
  EXPECT_EQ(state(paused), "RUNNING");
  pass(Milliseconds{12'000});
  EXPECT_NE(state(paused), "RUNNING");
}

// A job's processes may not stop, or its node may not support the order. The suspension is then
// undone, so that the preemptor does not wait for ever.
TEST_F(SuspendStory, AJobThatIsNotSuspendedInTimeIsResumed) {
  const auto [paused, critical] = victim_and_preemptor();
  take<Suspend>();
  pass_with_beats(config.prepare_timeout - Milliseconds{1'000}, {"n1"});
  EXPECT_EQ(state(paused), "SUSPENDED");
  for (int second = 0; second < 2; ++second) {
    beat("n1", entry_of(paused, 0));
    pass(Milliseconds{1'000});
  }
  EXPECT_EQ(state(paused), "RUNNING");
  EXPECT_EQ(job(paused).job.why, "not all nodes suspended it within 60 s");
  EXPECT_EQ(take<Suspend>().back().second.order, (Suspension{2, false}));
  EXPECT_EQ(attempt(paused).suspended_ms, 0);
  EXPECT_EQ(state(critical), "PENDING");
  // The next order to suspend follows only after the node has carried out the order to resume.
  carries_out(paused, "n1");
  EXPECT_EQ(state(paused), "SUSPENDED");
  EXPECT_EQ(take<Suspend>().back().second.order, (Suspension{3, true}));
}

TEST_F(SuspendStory, TheTimeLimitCountsUntilAllNodesHaveSuspendedTheJob) {
  node("n1", 2);
  const JobId paused = submit({.tasks = 2, .qos = "paused", .time_limit_s = 30});
  ready(paused);
  carries_out(paused, "n1");
  submit({.tasks = 2, .qos = "critical"});
  ASSERT_EQ(state(paused), "SUSPENDED");
  for (int second = 0; second < 32; ++second) {
    beat("n1", entry_of(paused, 0, 1'000 * second));
    pass(Milliseconds{1'000});
  }
  EXPECT_EQ(attempt(paused).stop.why, StopWhy::TimeLimit);
}

TEST_F(SuspendStory, AReportOfAnOrderThatWasNotSentIsIgnored) {
  const auto [paused, critical] = victim_and_preemptor();
  AttemptStatus early = status_of(paused, NodePhase::Running);
  early.suspension = {99, true};
  status("n1", early);
  EXPECT_EQ(attempt(paused).nodes.at(0).suspension, 1);
}

// Suspended jobs resume in the order in which they began, so the begin that the scheduling engine
// gets must not change while a job is suspended.
TEST_F(SuspendStory, TheSchedulerSeesTheSameStartAndRunTimeHoweverLongAJobIsSuspended) {
  node("n1", 2);
  const JobId first = submit({.tasks = 2, .qos = "paused"});
  ready(first);
  carries_out(first, "n1");
  pass_with_beats(Milliseconds{10'000}, {"n1"});
  const schedule::RunningJob fresh = running_job(controller->cluster(), job(first), now);
  submit({.tasks = 2, .qos = "critical"});
  carries_out(first, "n1");
  const auto input = [&] { return running_job(controller->cluster(), job(first), now); };
  const schedule::RunningJob at_once = input();
  pass_with_beats(Milliseconds{50'000}, {"n1"});
  const schedule::RunningJob later = input();
  EXPECT_EQ(at_once.began, fresh.began);
  EXPECT_EQ(later.began, fresh.began);
  EXPECT_EQ(later.ran_before, at_once.ran_before);
  EXPECT_EQ(later.ran_before, Milliseconds{10'000});
}

TEST_F(SuspendStory, AJobThatIsBeingSuspendedShowsThat) {
  const auto [paused, critical] = victim_and_preemptor();
  const Reply reply = ask(ShowJob{paused});
  const auto* detail = std::get_if<JobDetail>(&reply.body);
  ASSERT_NE(detail, nullptr);
  EXPECT_EQ(detail->view.reason_detail,
            "is being suspended; its CPUs are free when all its nodes have stopped it");
  EXPECT_TRUE(controller->cluster().soft().pending_reason_of(paused).complete);
}

TEST_F(SuspendStory, ASuspendedJobShowsWhatItWaitsFor) {
  const auto [paused, critical] = victim_and_preemptor();
  carries_out(paused, "n1");
  ready(critical);
  const Reply reply = ask(ShowJob{paused});
  const auto* detail = std::get_if<JobDetail>(&reply.body);
  ASSERT_NE(detail, nullptr);
  EXPECT_EQ(detail->view.reason_detail, "suspended on n1 until its CPUs are free again on 1 node");
  ASSERT_EQ(detail->why.size(), 1u);
  EXPECT_EQ(detail->why[0], "node n1: 0 of its 2 CPUs free; held by job 2 of ada (2 CPUs)");
}

TEST_F(SuspendStory, ASuspendedJobShowsItsExpectedResumeUnlessItIsHeldOrItsNodeIsSilent) {
  node("n1", 2);
  const JobId paused = submit({.tasks = 2, .qos = "paused"});
  ready(paused);
  carries_out(paused, "n1");
  const JobId critical = submit({.tasks = 2, .qos = "critical", .time_limit_s = 600});
  carries_out(paused, "n1");
  ready(critical);
  const auto shown = [&] { return std::get<JobDetail>(ask(ShowJob{paused}).body).view; };
  EXPECT_EQ(shown().expected_start, now.wall + Milliseconds{600'000});
  ask(ActOnJobs{JobVerb::Hold, {paused}});
  EXPECT_EQ(shown().reason, WaitReason::JobHeldUser);
  EXPECT_EQ(shown().expected_start, Wall{});
  ask(ActOnJobs{JobVerb::Release, {paused}});
  EXPECT_EQ(shown().expected_start, now.wall + Milliseconds{600'000});
  pass(config.node_timeout + Milliseconds{1'000});
  ASSERT_EQ(shown().reason, WaitReason::ReqNodeNotAvail);
  EXPECT_EQ(shown().expected_start, Wall{});
}

}  // namespace
}  // namespace cox
