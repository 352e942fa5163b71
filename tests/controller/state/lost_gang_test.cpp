// Tests a gang that loses a node: what its end means, which nodes it frees, and how a fence ends
// the wait for the lost node.
#include <gtest/gtest.h>

#include "controller/state/node_health.h"
#include "tests/controller/bench.h"

namespace cox {
namespace {

class LostGang : public testing::Test, public Bench {
 public:
  LostGang() {
    config.fault_settle = Milliseconds{5'000};
    restart();
    for (const char* name : {"n1", "n2", "n3"}) node(name, 4);
  }

  // Returns a running gang on three whole nodes, with a checkpoint of step 20.
  JobId running_gang() {
    const JobId id = submit({.nodes = 3, .tasks = 12});
    ready(id);
    for (const AttemptNode& n : attempt(id).nodes) {
      AttemptStatus s = status_of(id, NodePhase::Running);
      for (std::int32_t k = 0; k < n.grant.ranks; ++k) {
        RankStatus rank;
        rank.rank = n.grant.first_rank + k;
        rank.phase = RankPhase::Running;
        rank.saved.push_back({20, 10, 1, false});
        s.ranks.push_back(rank);
      }
      status(n.grant.node, s);
    }
    EXPECT_EQ(state(id), "RUNNING");
    EXPECT_EQ(job(id).newest_checkpoint()->step, 20);
    return id;
  }

  // Ends all ranks on this node with this code, and reports that no process is left.
  void ends_on(const std::string& name, JobId id, std::int32_t code) {
    AttemptStatus s = status_of(id, NodePhase::Gone);
    for (const AttemptNode& n : attempt(id).nodes)
      for (std::int32_t k = 0; n.grant.node == name && k < n.grant.ranks; ++k) {
        RankStatus rank;
        rank.rank = n.grant.first_rank + k;
        rank.phase = RankPhase::Exited;
        rank.exit_code = code;
        rank.ended = now.wall;
        s.ranks.push_back(rank);
      }
    status(name, s);
  }

  void is_unfit(const std::string& name, const std::string& why) {
    Heartbeat beat{name, session[name], ++numbers[name], {}, why, 0};
    deliver(name, beat);
  }

  void pass_lease(const std::vector<std::string>& alive) {
    pass_with_beats(lost_after(config) + Milliseconds{2'000}, alive);
  }

  std::vector<std::string> why(JobId id) { return std::get<JobDetail>(ask(ShowJob{id}).body).why; }

  std::vector<std::string> outcomes(JobId id) const {
    std::vector<std::string> all;
    for (const Attempt& each : job(id).attempts) all.push_back(each.outcome);
    return all;
  }

  Acted::Outcome fence(const std::string& name) {
    ActOnNodes act{true, {name}, "to be fenced", true};
    return std::get<Acted>(ask(act).body).outcomes.front();
  }
};

TEST_F(LostGang, RanksThatFailBecauseANodeIsLostDoNotFailTheJob) {
  const JobId id = running_gang();
  pass_with_beats(Milliseconds{8'000}, {"n1", "n2"});
  ends_on("n1", id, 1);
  ends_on("n2", id, 1);
  EXPECT_EQ(state(id), "COMPLETING");
  pass_lease({"n1", "n2"});
  EXPECT_EQ(state(id), "PENDING") << "it needs three nodes";
  EXPECT_NE(outcomes(id).front().find("node n3"), std::string::npos) << outcomes(id).front();
  node("n3", 4);
  pass_with_beats(Milliseconds{10'000}, {"n1", "n2", "n3"});
  EXPECT_EQ(state(id), "CONFIGURING");
  EXPECT_EQ(attempt(id).resume->step, 20);
}

TEST_F(LostGang, RanksThatFailBeforeTheSilenceIsDetectedDoNotFailTheJob) {
  const JobId id = running_gang();
  pass_with_beats(Milliseconds{1'000}, {"n1", "n2"});
  ends_on("n1", id, 1);
  ends_on("n2", id, 1);
  pass_with_beats(Milliseconds{10'000}, {"n1", "n2"});
  EXPECT_EQ(attempt(id).stop.why, StopWhy::NodeLost);
  ends_on("n3", id, 1);
  EXPECT_NE(state(id), "FAILED") << "the node came back, and its silence was the cause";
  EXPECT_EQ(job(id).attempts.size(), 2u);
}

TEST_F(LostGang, ANodeThatReturnsBeforeTheFailureIsReportedIsStillTheCause) {
  const JobId id = running_gang();
  pass_with_beats(Milliseconds{10'000}, {"n1", "n2"});
  beat_as_is("n3");
  pass_with_beats(Milliseconds{2'000}, {"n1", "n2", "n3"});
  for (const char* name : {"n1", "n2", "n3"}) ends_on(name, id, 1);
  EXPECT_EQ(attempt(id).key.attempt.value, 2) << state(id);
}

TEST_F(LostGang, WithNoRequeueTheJobEndsAsNodeFail) {
  const JobId id = submit({.nodes = 3, .tasks = 12, .with = [](JobSpec& s) { s.requeue = false; }});
  ready(id);
  pass_with_beats(Milliseconds{8'000}, {"n1", "n2"});
  ends_on("n1", id, 1);
  ends_on("n2", id, 1);
  pass_lease({"n1", "n2"});
  EXPECT_EQ(state(id), "NODE_FAIL");
}

TEST_F(LostGang, ARankThatFailsInAHealthyGangFailsTheJob) {
  const JobId id = running_gang();
  pass_with_beats(Milliseconds{8'000}, {"n1", "n2", "n3"});
  for (const char* name : {"n1", "n2", "n3"}) ends_on(name, id, name[1] == '1' ? 7 : 0);
  EXPECT_EQ(state(id), "COMPLETING") << "a fault of a node may still be reported";
  pass_with_beats(Milliseconds{6'000}, {"n1", "n2", "n3"});
  EXPECT_EQ(state(id), "FAILED");
  EXPECT_EQ(job(id).job.exit_code, 7);
}

TEST_F(LostGang, AFaultThatANodeReportsLaterIsTheCause) {
  const JobId id = running_gang();
  for (const char* name : {"n1", "n2", "n3"}) ends_on(name, id, 1);
  pass_with_beats(Milliseconds{2'000}, {"n1", "n2", "n3"});
  is_unfit("n2", "GPU 3 has fallen off the bus");
  pass(Milliseconds{250});
  EXPECT_EQ(state(id), "PENDING");
  EXPECT_NE(outcomes(id).front().find("GPU 3"), std::string::npos) << outcomes(id).front();
}

TEST_F(LostGang, AFaultReportedAfterTheSettlingTimeDoesNotChangeTheOutcome) {
  const JobId id = running_gang();
  for (const char* name : {"n1", "n2", "n3"}) ends_on(name, id, 1);
  pass_with_beats(Milliseconds{6'000}, {"n1", "n2", "n3"});
  is_unfit("n2", "GPU 3 has fallen off the bus");
  pass(Milliseconds{250});
  EXPECT_EQ(state(id), "FAILED");
}

TEST_F(LostGang, ACancelEndsAJobThatWaitsForALostNode) {
  const JobId id = running_gang();
  pass_with_beats(Milliseconds{8'000}, {"n1", "n2"});
  ends_on("n1", id, 1);
  ends_on("n2", id, 1);
  ask(ActOnJobs{JobVerb::Cancel, {id}});
  pass_lease({"n1", "n2"});
  EXPECT_EQ(state(id), "CANCELLED");
}

TEST_F(LostGang, TheHealthyNodesOfTheGangAreFreedAtOnce) {
  const JobId id = running_gang();
  const JobId next = submit({.nodes = 2, .tasks = 8});
  EXPECT_EQ(state(next), "PENDING");
  pass_with_beats(Milliseconds{20'000}, {"n1", "n2"});
  ends_on("n1", id, 1);
  EXPECT_EQ(state(next), "PENDING") << "n2 is still held";
  ends_on("n2", id, 1);
  EXPECT_EQ(state(next), "CONFIGURING");
  EXPECT_EQ(nodes(next), "n1n2");
  EXPECT_EQ(state(id), "COMPLETING") << "the silent node stays reserved, and the job waits for it";
  EXPECT_NE(attempt(id).nodes[0].given_back, Wall{});
  EXPECT_EQ(attempt(id).nodes[2].given_back, Wall{});
}

TEST_F(LostGang, TheSchedulerKnowsWhichNodesALostGangHasGivenBack) {
  const JobId id = running_gang();
  pass_with_beats(Milliseconds{20'000}, {"n1", "n2"});
  ends_on("n1", id, 1);
  const auto& running = controller->engine(now).running().at(id).job;
  EXPECT_EQ(running.grants.size(), 2u);
  EXPECT_EQ(running.given_back.size(), 1u);
}

TEST_F(LostGang, AFenceByAnOperatorEndsTheWait) {
  const JobId id = running_gang();
  pass_with_beats(Milliseconds{20'000}, {"n1", "n2"});
  EXPECT_EQ(state(id), "RUNNING");
  EXPECT_EQ(fence("n3").done, "fenced; 1 job no longer waits for it");
  ends_on("n1", id, 1);
  ends_on("n2", id, 1);
  EXPECT_EQ(state(id), "PENDING");
  EXPECT_NE(outcomes(id).front().find("fenced by user ada"), std::string::npos);
}

TEST_F(LostGang, ANodeThatSendsMessagesCannotBeFenced) {
  const JobId id = running_gang();
  EXPECT_TRUE(fence("n3").refused);
  pass_with_beats(Milliseconds{20'000}, {"n1", "n2"});
  beat("n3", {{attempt(id).key, 1, NodePhase::Running, 0}});
  ASSERT_FALSE(controller->cluster().node("n3")->responding) << "one heartbeat is not enough";
  EXPECT_TRUE(fence("n3").refused) << "its ranks run";
  EXPECT_EQ(state(id), "RUNNING");
}

class FencedGang : public LostGang {
 public:
  FencedGang() {
    config.fence_program = "/usr/local/sbin/power-off";
    restart();
    for (const char* name : {"n1", "n2", "n3"}) node(name, 4);
  }
  std::vector<FenceOrder> asked() { return controller->take<FenceOrder>(); }
  void ended(const FenceOrder& order, bool succeeded) {
    controller->fence_ended({order, succeeded, succeeded ? "exit code 0" : "exit code 1"});
    settle();
  }
};

TEST_F(FencedGang, FenceProgramRunsOnceForASilentNodeAndItsSuccessEndsTheWait) {
  const JobId id = running_gang();
  pass_with_beats(Milliseconds{55'000}, {"n1", "n2"});
  EXPECT_TRUE(asked().empty()) << "fence_after is a minute";
  pass_with_beats(Milliseconds{10'000}, {"n1", "n2"});
  const auto orders = asked();
  ASSERT_EQ(orders.size(), 1u);
  EXPECT_EQ(orders.front().node, "n3");
  EXPECT_EQ(state(id), "RUNNING");
  ended(orders.front(), true);
  ends_on("n1", id, 1);
  ends_on("n2", id, 1);
  EXPECT_EQ(state(id), "PENDING");
  EXPECT_TRUE(asked().empty());
}

TEST_F(FencedGang, AFailedRunOfFenceProgramIsRepeatedFiveTimes) {
  const JobId id = running_gang();
  int times = 0;
  for (int second = 0; second < 400; ++second) {
    pass_with_beats(Milliseconds{1'000}, {"n1", "n2"});
    for (const FenceOrder& order : asked()) {
      ++times;
      ended(order, false);
    }
  }
  EXPECT_EQ(times, fence_tries_max);
  EXPECT_EQ(state(id), "RUNNING");
  ASSERT_EQ(why(id).size(), 1u);
  EXPECT_NE(why(id).front().find("fence_program has failed 5 times"), std::string::npos);
}

TEST_F(FencedGang, ANodeThatSentAMessageDuringFenceProgramKeepsItsJobs) {
  const JobId id = running_gang();
  pass_with_beats(Milliseconds{65'000}, {"n1", "n2"});
  const auto orders = asked();
  ASSERT_EQ(orders.size(), 1u);
  beat("n3", {{attempt(id).key, 1, NodePhase::Running, 0}});
  ended(orders.front(), true);
  EXPECT_EQ(state(id), "RUNNING");
}

TEST_F(FencedGang, NoNodeIsFencedIfNoJobWaitsOrManyNodesAreSilent) {
  pass_with_beats(Milliseconds{100'000}, {"n1", "n2"});
  EXPECT_TRUE(asked().empty()) << "no job is there";
  for (const char* name : {"n1", "n2", "n3"}) node(name, 4);
  pass_with_beats(Milliseconds{10'000}, {"n1", "n2", "n3"});
  running_gang();
  pass_with_beats(Milliseconds{200'000}, {"n1"});
  EXPECT_TRUE(asked().empty()) << "two of three: more likely the network";
}

TEST_F(LostGang, CoxWhyNamesTheSilentNodeAndWhatToDo) {
  const JobId id = running_gang();
  EXPECT_TRUE(why(id).empty());
  pass_with_beats(Milliseconds{38'000}, {"n1", "n2"});
  ASSERT_EQ(why(id).size(), 1u);
  const std::string line = why(id).front();
  EXPECT_EQ(line.find("node n3 has been silent for 38 s and is down* (Not responding); its lease "
                      "holds until 20"),
            0u)
      << line;
  EXPECT_NE(line.find("`cox fence n3 --confirm` ends the wait"), std::string::npos) << line;
  ends_on("n1", id, 1);
  ends_on("n2", id, 1);
  EXPECT_EQ(why(id).size(), 1u) << "completing";
}

TEST_F(LostGang, WithNoRequeueCoxWhySaysThatTheJobEndsAsNodeFail) {
  const JobId id = submit({.nodes = 3, .tasks = 12, .with = [](JobSpec& s) { s.requeue = false; }});
  ready(id);
  pass_with_beats(Milliseconds{38'000}, {"n1", "n2"});
  ASSERT_EQ(why(id).size(), 1u);
  const std::string line = why(id).front();
  EXPECT_NE(line.find(", and the job ends NODE_FAIL at 20"), std::string::npos) << line;
  EXPECT_NE(line.find(", because of --no-requeue; "), std::string::npos) << line;
  ask(ActOnJobs{JobVerb::Cancel, {id}});
  ASSERT_EQ(why(id).size(), 1u);
  EXPECT_NE(why(id).front().find(", and the job waits for it until 20"), std::string::npos);
}

TEST_F(LostGang, CoxWhySaysHowLongAFaultMayStillBeReported) {
  const JobId id = running_gang();
  for (const char* name : {"n1", "n2", "n3"}) ends_on(name, id, 7);
  ASSERT_EQ(state(id), "COMPLETING");
  EXPECT_EQ(why(id),
            (std::vector<std::string>{
                "Coxswain waits up to 5 s before the job ends FAILED, in case a node turns "
                "out to be lost: " +
                attempt(id).stop.detail}));
  const auto requeue = [&] {
    return std::get<Acted>(ask(ActOnJobs{JobVerb::Requeue, {id}}).body).outcomes.front();
  };
  EXPECT_EQ(requeue().refused.value_or(Refusal{}).hint,
            "try again in a moment, when it has ended; see `cox history " +
                std::to_string(id.value) + "`");
  pass_with_beats(Milliseconds{6'000}, {"n1", "n2", "n3"});
  ASSERT_EQ(state(id), "FAILED");
  EXPECT_FALSE(requeue().refused);
}

TEST_F(LostGang, CoxWhySaysIfTheLeaseNeverEnds) {
  config.lease = Milliseconds{0};
  restart();
  for (const char* name : {"n1", "n2", "n3"}) node(name, 4);
  const JobId id = running_gang();
  pass_with_beats(Milliseconds{38'000}, {"n1", "n2"});
  ASSERT_EQ(why(id).size(), 1u);
  EXPECT_NE(why(id).front().find("its lease never ends"), std::string::npos) << why(id).front();
  EXPECT_NE(why(id).front().find("cox fence n3"), std::string::npos);
}

// A gang waits for all three nodes and has a backfill reservation, since another job runs on one
// node for ten minutes. A job of an hour would fit on the other two nodes.
TEST_F(LostGang, ABackfillReservationOutlivesAShortSilenceOfANode) {
  const JobId first = submit({.nodes = 1, .tasks = 4, .time_limit_s = 600});
  ready(first);
  const JobId gang = submit({.nodes = 3, .tasks = 12, .time_limit_s = 600});
  const std::string busy = nodes(first);
  std::vector<std::string> others{"n1", "n2", "n3"};
  std::erase(others, busy);
  pass_with_beats(Milliseconds{20'000}, others);
  ASSERT_FALSE(controller->cluster().node(busy)->responding);
  const JobId filler = submit({.nodes = 1, .tasks = 4, .time_limit_s = 3600});
  EXPECT_EQ(state(filler), "PENDING") << "it would delay the gang";
  node(busy, 4);
  EXPECT_EQ(state(gang), "PENDING");
}

TEST_F(LostGang, ABackfillReservationEndsWithALongSilenceOfANode) {
  const JobId first = submit({.nodes = 1, .tasks = 4, .time_limit_s = 600});
  ready(first);
  submit({.nodes = 3, .tasks = 12, .time_limit_s = 600});
  const JobId filler = submit({.nodes = 1, .tasks = 4, .time_limit_s = 3600});
  std::vector<std::string> others{"n1", "n2", "n3"};
  std::erase(others, nodes(first));
  pass_with_beats(Milliseconds{20'000}, others);
  EXPECT_EQ(state(filler), "PENDING");
  pass_with_beats(reserved_through_silence + Milliseconds{31'000}, others);
  EXPECT_EQ(state(filler), "CONFIGURING");
}

// A silence counts as long from a moment between two ticks of the controller; the scheduler must
// run at that moment.
TEST_F(LostGang, ANodeGetsNoWorkAtTheMomentItsSilenceBecomesLong) {
  const JobId first = submit({.nodes = 3, .tasks = 12, .time_limit_s = 600});
  ready(first);
  ask(ActOnJobs{JobVerb::Cancel, {first}});
  for (const char* name : {"n1", "n2", "n3"}) status(name, status_of(first, NodePhase::Gone));
  pass_with_beats(Milliseconds{40'000}, {"n1", "n2"});
  ASSERT_FALSE(controller->cluster().node("n3")->responding);
  const Boot silent_since = controller->cluster().soft().contact("n3").silent_since;
  const JobId waits = submit({.nodes = 3, .tasks = 12, .time_limit_s = 600});
  while (now.boot + Milliseconds{1'000} < silent_since + reserved_through_silence)
    pass_with_beats(Milliseconds{1'000}, {"n1", "n2"});
  const Milliseconds rest = silent_since + reserved_through_silence - now.boot;
  now.boot += rest;
  now.wall += rest;
  submit({.nodes = 1, .tasks = 1, .time_limit_s = 600});  // makes a pass
  EXPECT_EQ(state(waits), "PENDING");
}

}  // namespace
}  // namespace cox
