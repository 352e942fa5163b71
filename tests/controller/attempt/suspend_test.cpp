// A QOS that suspends, told on the controller alone: whom it stops gives its CPUs, keeps the rest,
// and goes on where it is.
#include <gtest/gtest.h>

#include "controller/state/engine_input.h"
#include "tests/controller/bench.h"

namespace cox {
namespace {

class SuspendStory : public testing::Test, public Bench {
 protected:
  SuspendStory() {
    database->tables.qos.push_back({"paused", 0, PreemptMode::Suspend, 5'000, {}, {}});
    restart();
  }

  // Its part on this node does as it was last told.
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
  // A paused job that holds n1, and a critical one that it makes way for.
  std::pair<JobId, JobId> one_for_another() {
    node("n1", 2);
    const JobId paused = submit({.tasks = 2, .qos = "paused", .checkpoint_signal = 10});
    ready(paused);
    carries_out(paused, "n1");
    const JobId critical = submit({.tasks = 2, .qos = "critical"});
    return {paused, critical};
  }
};

TEST_F(SuspendStory, ItsCpusAreTheOthersOnceItStandsStillAndItGoesOnAfterwards) {
  const auto [paused, critical] = one_for_another();
  EXPECT_EQ(state(paused), "SUSPENDED");
  EXPECT_EQ(job(paused).job.why, "suspended for job 2, which gets its CPUs");
  EXPECT_TRUE(take<Stop>().empty());
  const auto told = take<Suspend>();
  ASSERT_EQ(told.size(), 1u);
  EXPECT_EQ(told[0].second.order, (Suspension{1, true}));
  EXPECT_EQ(state(critical), "PENDING") << "it may run yet";

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

TEST_F(SuspendStory, AGangGivesItsCpusWhenItStandsStillEverywhere) {
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
  EXPECT_EQ(state(small), "PENDING") << "what is free of its CPUs stays for the gang";
  ready(critical);
  finish(critical, 0);
  EXPECT_EQ(state(paused), "RUNNING");
}

TEST_F(SuspendStory, WhoWasNotToldIsRemindedOfWhateverIsWantedNow) {
  const auto [paused, critical] = one_for_another();
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

TEST_F(SuspendStory, ARestartedControllerKnowsWhoStandsStill) {
  const auto [paused, critical] = one_for_another();
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
  said("n1", hello);
  EXPECT_TRUE(take<Suspend>().empty());
  finish(critical, 0);
  EXPECT_EQ(state(paused), "RUNNING");
}

TEST_F(SuspendStory, WhatIsSuspendedCanBeStoppedAndAskedToSave) {
  const auto [paused, critical] = one_for_another();
  carries_out(paused, "n1");
  take<Suspend>();
  ask(ActOnJobs{JobVerb::Requeue, {paused}});
  EXPECT_EQ(state(paused), "SIGNALING");
  const auto stops = take<Stop>();
  ASSERT_EQ(stops.size(), 1u);
  EXPECT_TRUE(stops[0].second.order.ask_checkpoint);
  beat("n1", entry_of(paused, 0));
  EXPECT_TRUE(take<Suspend>().empty()) << "it is to end";
  finish(paused, 75, true, 7);
  EXPECT_EQ(state(paused), "PENDING");
}

TEST_F(SuspendStory, ItsTimeLimitStandsStillToo) {
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

// Its processes do not stop, or nobody there knows the order: whoever waits for it must not do so
// for ever.
TEST_F(SuspendStory, WhoDoesNotStandStillInTimeGoesOn) {
  const auto [paused, critical] = one_for_another();
  take<Suspend>();
  pass_with_beats(config.prepare_timeout - Milliseconds{1'000}, {"n1"});
  EXPECT_EQ(state(paused), "SUSPENDED");
  for (int second = 0; second < 2; ++second) {
    beat("n1", entry_of(paused, 0));
    pass(Milliseconds{1'000});
  }
  EXPECT_EQ(state(paused), "RUNNING");
  EXPECT_EQ(job(paused).job.why, "not all of it stood still within 60 s");
  EXPECT_EQ(take<Suspend>().back().second.order, (Suspension{2, false}));
  EXPECT_EQ(attempt(paused).suspended_ms, 0);
  EXPECT_EQ(state(critical), "PENDING");
  // Before it has done as it was told it is asked for nothing more; then it is.
  carries_out(paused, "n1");
  EXPECT_EQ(state(paused), "SUSPENDED");
  EXPECT_EQ(take<Suspend>().back().second.order, (Suspension{3, true}));
}

TEST_F(SuspendStory, ItsTimeLimitGoesOnUntilItStandsStill) {
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

TEST_F(SuspendStory, NobodyHasCarriedOutWhatWasNotAskedYet) {
  const auto [paused, critical] = one_for_another();
  AttemptStatus early = status_of(paused, NodePhase::Running);
  early.suspension = {99, true};
  status("n1", early);
  EXPECT_EQ(attempt(paused).nodes.at(0).suspension, 1);
}

// The earlier began earlier, whenever the engine was told of it.
TEST_F(SuspendStory, WhoBeganFirstGoesOnFirst) {
  node("n1", 2);
  const JobId first = submit({.tasks = 2, .qos = "paused"});
  ready(first);
  carries_out(first, "n1");
  pass_with_beats(Milliseconds{10'000}, {"n1"});
  const schedule::RunningJob fresh = running_job(controller->cluster(), job(first), now);
  submit({.tasks = 2, .qos = "critical"});
  carries_out(first, "n1");
  const auto told = [&] { return running_job(controller->cluster(), job(first), now); };
  const schedule::RunningJob at_once = told();
  pass_with_beats(Milliseconds{50'000}, {"n1"});
  const schedule::RunningJob later = told();
  EXPECT_EQ(at_once.began, fresh.began);
  EXPECT_EQ(later.began, fresh.began);
  EXPECT_EQ(later.ran_before, at_once.ran_before);
  EXPECT_EQ(later.ran_before, Milliseconds{10'000});
}

TEST_F(SuspendStory, SaysThatItIsBeingStopped) {
  const auto [paused, critical] = one_for_another();
  const Reply reply = ask(ShowJob{paused});
  const auto* detail = std::get_if<JobDetail>(&reply.body);
  ASSERT_NE(detail, nullptr);
  EXPECT_EQ(detail->view.reason_detail, "is being stopped; its CPUs are free when it stands still");
  EXPECT_TRUE(controller->cluster().pending_reason_of(paused).complete);
}

TEST_F(SuspendStory, SaysWhatItWaitsFor) {
  const auto [paused, critical] = one_for_another();
  carries_out(paused, "n1");
  ready(critical);
  const Reply reply = ask(ShowJob{paused});
  const auto* detail = std::get_if<JobDetail>(&reply.body);
  ASSERT_NE(detail, nullptr);
  EXPECT_EQ(detail->view.reason_detail,
            "stands still on n1 until its CPUs are free again on 1 node");
  ASSERT_EQ(detail->why.size(), 1u);
  EXPECT_EQ(detail->why[0], "node n1: 0 of its 2 CPUs free; held by job 2 of ada (2 CPUs)");
}

TEST_F(SuspendStory, SaysWhenItGoesOnAndNotWhileAPersonHoldsItOrItCannotBeReached) {
  node("n1", 2);
  const JobId paused = submit({.tasks = 2, .qos = "paused"});
  ready(paused);
  carries_out(paused, "n1");
  const JobId critical = submit({.tasks = 2, .qos = "critical", .time_limit_s = 600});
  carries_out(paused, "n1");
  ready(critical);
  const auto told = [&] { return std::get<JobDetail>(ask(ShowJob{paused}).body).view; };
  EXPECT_EQ(told().expected_start, now.wall + Milliseconds{600'000});
  ask(ActOnJobs{JobVerb::Hold, {paused}});
  EXPECT_EQ(told().reason, WaitReason::JobHeldUser);
  EXPECT_EQ(told().expected_start, Wall{});
  ask(ActOnJobs{JobVerb::Release, {paused}});
  EXPECT_EQ(told().expected_start, now.wall + Milliseconds{600'000});
  pass(config.node_timeout + Milliseconds{1'000});
  ASSERT_EQ(told().reason, WaitReason::ReqNodeNotAvail);
  EXPECT_EQ(told().expected_start, Wall{});
}

}  // namespace
}  // namespace cox
