// Tests the health of nodes: first the rules alone, then what the controller does with the reports
// of nodes.
#include "controller/state/node_health.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/controller/bench.h"

namespace cox {
namespace {

constexpr Wall failure_day = wall_from_ms(1'700'000'000'000);

Node failed(int times, Wall at) {
  Node node;
  for (int i = 1; i <= times; ++i) EXPECT_TRUE(note_failure(node, JobId{i}, at));
  return node;
}

TEST(NodeHealth, AFailureCountsHalfAsMuchAnHourLater) {
  const Node node = failed(4, failure_day);
  EXPECT_DOUBLE_EQ(failure_score(node, failure_day), 4);
  EXPECT_DOUBLE_EQ(failure_score(node, failure_day + failure_half_life), 2);
  EXPECT_DOUBLE_EQ(failure_score(node, failure_day + 2 * failure_half_life), 1);
  EXPECT_DOUBLE_EQ(failure_score(node, failure_day - failure_half_life), 4)
      << "the clock was set back";
}

TEST(NodeHealth, AJobCountsOneFailureAndLossesOfTheNodeCountOnceAMinute) {
  Node node = failed(1, failure_day);
  EXPECT_FALSE(note_failure(node, JobId{1}, failure_day + failure_half_life));
  EXPECT_TRUE(note_failure(node, JobId{}, failure_day));
  EXPECT_FALSE(note_failure(node, JobId{}, failure_day + node_loss_apart - Milliseconds{1}));
  EXPECT_TRUE(note_failure(node, JobId{}, failure_day + node_loss_apart));
  EXPECT_EQ(node.failures.size(), 3u);
}

TEST(NodeHealth, ThresholdsCompareTheRoundedScoreAndZeroDisablesThem) {
  const ControllerConfig config;
  EXPECT_FALSE(is_to_be_avoided(failed(1, failure_day), config, failure_day));
  const Node lemon = failed(4, failure_day);
  EXPECT_TRUE(is_to_be_drained(lemon, config, failure_day + Milliseconds{60'000}));
  EXPECT_FALSE(is_to_be_drained(lemon, config, failure_day + failure_half_life));
  EXPECT_TRUE(is_to_be_avoided(lemon, config, failure_day + failure_half_life));
  EXPECT_FALSE(is_to_be_avoided(lemon, config, failure_day + 2 * failure_half_life));
  ControllerConfig never;
  never.failures_to_avoid = never.failures_to_drain = 0;
  EXPECT_FALSE(is_to_be_avoided(lemon, never, failure_day) ||
               is_to_be_drained(lemon, never, failure_day));
}

TEST(NodeHealth, AQuarterOfTheNodesMayBeDrainedForFailuresAndOneInAnyCase) {
  std::map<std::string, Node> nodes;
  for (int i = 1; i <= 8; ++i) nodes["n" + std::to_string(i)].drained_by = DrainedBy::Person;
  EXPECT_TRUE(may_drain_one_more(nodes));
  nodes["n1"].drained_by = DrainedBy::Failures;
  EXPECT_TRUE(may_drain_one_more(nodes));
  nodes["n2"].drained_by = DrainedBy::Failures;
  EXPECT_FALSE(may_drain_one_more(nodes)) << "two of eight are a quarter";
  EXPECT_TRUE(may_drain_one_more({{"n1", Node{}}}));
}

TEST(NodeHealth, EachReturnWithinTheHourDoublesTheRequiredHeartbeatsUpToABound) {
  const ControllerConfig config;
  Node node;
  EXPECT_EQ(beats_required(node, config, failure_day), 3);
  note_return(node, failure_day);
  EXPECT_EQ(beats_required(node, config, failure_day), 6);
  for (int i = 0; i < 20; ++i) note_return(node, failure_day);
  EXPECT_EQ(beats_required(node, config, failure_day), 3 * return_beats_factor_max);
  EXPECT_EQ(beats_required(node, config, failure_day + return_remembered), 3);
}

TEST(NodeHealth, AClockThatIsSetBackNeitherProlongsPenaltiesNorHidesFailures) {
  const ControllerConfig config;
  constexpr Wall day_before = failure_day - Milliseconds{86'400'000};
  Node node;
  note_return(node, failure_day);
  EXPECT_EQ(beats_required(node, config, day_before), 3);
  note_return(node, day_before);
  EXPECT_EQ(beats_required(node, config, day_before), 6);
  EXPECT_EQ(beats_required(node, config, failure_day), 3) << "the first is not remembered again";

  EXPECT_TRUE(note_failure(node, JobId{}, failure_day));
  EXPECT_TRUE(note_failure(node, JobId{}, day_before)) << "another loss";
  EXPECT_FALSE(note_failure(node, JobId{}, day_before + Milliseconds{1}));
  EXPECT_DOUBLE_EQ(failure_score(node, day_before + failure_half_life), 1) << "both age";
}

TEST(NodeHealth, AHeartbeatIsGoodIfThePreviousOneAndItsAcknowledgementArrived) {
  EXPECT_EQ(good_beats_with(2, 17, 17), 3);
  EXPECT_EQ(good_beats_with(2, 17, 0), 0) << "its acknowledgement was lost";
  EXPECT_EQ(good_beats_with(2, 15, 17), 0) << "one between was lost";
  EXPECT_EQ(good_beats_with(2, 17, -1), 3) << "an older worker does not report it";
}

TEST(NodeHealth, TheWaitForALostNodeAllowsForTheDriftOfBothClocks) {
  ControllerConfig config;
  config.lease = Milliseconds{900'000};
  config.lease_grace = config.kill_wait = Milliseconds{50'000};
  config.lease_margin = Milliseconds{5'000};
  config.clock_drift_ppm = 0;
  EXPECT_EQ(lost_after(config), Milliseconds{1'005'000});
  config.clock_drift_ppm = 500;
  EXPECT_EQ(lost_after(config), Milliseconds{1'006'000});
}

class Health : public testing::Test, public Bench {
 public:
  const Node& known(const std::string& name) const { return *controller->cluster().node(name); }
  std::vector<std::string> events(const std::string& node) const {
    std::vector<std::string> whats;
    for (const NodeEvent& event : database->tables.node_events)
      if (event.node == node) whats.push_back(event.what);
    return whats;
  }
  // Sends a heartbeat. If `acknowledged`, it confirms that the acknowledgement of the previous
  // heartbeat has arrived.
  void two_way_beat(const std::string& node, bool acknowledged = true) {
    const std::int64_t before = newest_beat[node];
    Heartbeat beat{node, session[node], ++numbers[node], {}, {}, acknowledged ? before : 0};
    newest_beat[node] = beat.number;
    deliver(node, beat);
  }
  void report_unfit(const std::string& node, const std::string& why) {
    deliver(node, Heartbeat{node, session[node], ++numbers[node], {}, why, 0});
  }
  void refuse(JobId id, const std::string& why) {
    const std::string node = attempt(id).nodes.at(0).grant.node;
    auto refusal = status_of(id, NodePhase::Gone);
    refusal.refused = why;
    status(node, refusal);
  }
  // Submits a job whose launch on this node fails, and cancels the job.
  void fail_on(const std::string& node) {
    const JobId id = submit({.with = [&](JobSpec& s) { s.nodelist = {node}; }});
    ASSERT_EQ(nodes(id), node);
    refuse(id, "no such device");
    ask(ActOnJobs{JobVerb::Cancel, {id}});  // the second attempt has already begun
    status(node, status_of(id, NodePhase::Gone));
    ASSERT_EQ(state(id), "CANCELLED");
  }
  std::map<std::string, std::int64_t> newest_beat;
};

TEST_F(Health, ASilentNodeReturnsAfterEnoughGoodHeartbeatsInARow) {
  node("n1", 2);
  pass(config.node_timeout + Milliseconds{1'000});
  EXPECT_FALSE(known("n1").responding);
  const JobId waits = submit({});
  node("n1", 2);  // a restarted worker sends a hello, which counts as no heartbeat
  EXPECT_FALSE(known("n1").responding);
  two_way_beat("n1", false);
  two_way_beat("n1");
  two_way_beat("n1");
  two_way_beat("n1", false);  // the acknowledgement was lost, so the count begins again
  two_way_beat("n1");
  two_way_beat("n1");
  EXPECT_FALSE(known("n1").responding);
  EXPECT_EQ(known("n1").reason, "returning: needs 3 good heartbeats in a row");
  EXPECT_EQ(state(waits), "PENDING");
  two_way_beat("n1");
  EXPECT_TRUE(known("n1").responding);
  EXPECT_EQ(known("n1").reason, "");
  EXPECT_EQ(state(waits), "CONFIGURING");
  EXPECT_EQ(events("n1"), (std::vector<std::string>{"not responding", "returned"}));
  EXPECT_EQ(beats_required(known("n1"), config, now.wall), 6) << "the next time";
}

TEST_F(Health, TheHeartbeatsThatAReturningNodeStillNeedsAreCountedDown) {
  node("n1", 2);
  const auto left = [&] {
    return std::get<NodeList>(ask(ListNodes{}).body).nodes.at(0).beats_to_return;
  };
  EXPECT_EQ(left(), 0) << "it responds";
  pass(config.node_timeout + Milliseconds{1'000});
  EXPECT_EQ(left(), 0) << "it is silent";
  two_way_beat("n1", false);
  two_way_beat("n1", false);
  EXPECT_EQ(left(), 3);
  two_way_beat("n1");
  EXPECT_EQ(left(), 2);
  two_way_beat("n1");
  EXPECT_EQ(left(), 1);
  EXPECT_TRUE(known("n1").reason.starts_with(returning_begins)) << known("n1").reason;
  pass(config.node_timeout + Milliseconds{1'000});
  EXPECT_EQ(left(), 0) << "it is silent again";
  EXPECT_EQ(known("n1").reason, "Not responding");
}

TEST_F(Health, ANodeOnWhichJobsFailToStartIsUsedLastAndThenDrained) {
  for (const char* name : {"n1", "n2", "n3", "n4"}) node(name, 1);
  for (int i = 1; i <= 4; ++i) {
    fail_on("n1");
    EXPECT_EQ(controller->cluster().soft().contact("n1").avoided, i >= 2) << i << " failures";
    EXPECT_EQ(known("n1").drained, i == 4) << i << " failures";
  }
  EXPECT_EQ(known("n1").drained_by, DrainedBy::Failures);
  EXPECT_EQ(known("n1").reason.substr(0, 17), "4 failures lately") << known("n1").reason;
  restart();
  EXPECT_EQ(known("n1").failures.size(), 4u) << "it is stored";
  ask(ActOnNodes{false, {"n1"}, ""});
  EXPECT_FALSE(known("n1").drained);
  EXPECT_TRUE(known("n1").failures.empty()) << "otherwise the next failure would drain it at once";
}

TEST_F(Health, AvoidedNodesAreUsedLast) {
  for (const char* name : {"n1", "n2", "n3"}) node(name, 1);
  fail_on("n1");
  fail_on("n1");
  EXPECT_NE(nodes(submit({})), "n1");
  EXPECT_NE(nodes(submit({})), "n1");
  EXPECT_EQ(nodes(submit({})), "n1") << "nothing else is left";
}

TEST_F(Health, AJobThatFailsOnEveryNodeIsHeldAndNotCountedAgainstTheNodes) {
  for (const char* name : {"n1", "n2", "n3", "n4"}) node(name, 1);
  const JobId id = submit({});
  for (int i = 0; i < 3; ++i) {
    ASSERT_EQ(state(id), "CONFIGURING") << i;
    refuse(id, "no room for its script");
    pass(Milliseconds{5'000});
    for (const char* name : {"n1", "n2", "n3", "n4"}) beat_as_is(name);
  }
  EXPECT_EQ(state(id), "PENDING");
  EXPECT_TRUE(job(id).job.held);
  const auto view = std::get<JobDetail>(ask(ShowJob{id}).body).view;
  EXPECT_EQ(view.reason, WaitReason::JobHoldMaxRequeue);
  EXPECT_EQ(view.reason_detail.substr(0, 16), "launch failed on") << view.reason_detail;
  for (const char* name : {"n1", "n2", "n3", "n4"})
    EXPECT_TRUE(known(name).failures.empty() && !known(name).drained) << name;
  ask(ActOnJobs{JobVerb::Release, {id}});
  EXPECT_EQ(state(id), "CONFIGURING") << "it is tried again, on any node";
  EXPECT_EQ(job(id).job.held_why, "");
}

// Other jobs had failed on n1 before, so this failure exceeds its limit and drains it.
TEST_F(Health, ANodeThatWasDrainedForAJobThatFailsEverywhereIsResumed) {
  for (const char* name : {"n1", "n2", "n3", "n4"}) node(name, 1);
  for (int i = 0; i < 3; ++i) fail_on("n1");
  std::map<std::string, JobId> busy;
  for (const std::string name : {"n2", "n3", "n4"}) {
    busy[name] = submit({.with = [&](JobSpec& s) { s.nodelist = {name}; }});
    ready(busy[name]);
  }
  const JobId id = submit({});
  for (const std::string name : {"n1", "n2", "n3"}) {
    if (busy.contains(name)) finish(busy[name], 0);
    pass(Milliseconds{5'000});
    for (const char* each : {"n1", "n2", "n3", "n4"}) beat_as_is(each);
    ASSERT_EQ(state(id), "CONFIGURING");
    ASSERT_EQ(nodes(id), name);
    refuse(id, "no room for its script");
    EXPECT_EQ(known("n1").drained, name != "n3") << "while " << name << " has failed";
  }
  EXPECT_TRUE(job(id).job.held);
  EXPECT_EQ(known("n1").drained_by, DrainedBy::Nobody);
  EXPECT_EQ(known("n1").reason, "");
  EXPECT_EQ(known("n1").failures.size(), 3U) << "those of the other jobs";
  std::vector<std::string> history;
  for (const NodeEvent& event : database->tables.node_events)
    if (event.node == "n1")
      history.push_back(event.what + ": " + event.why + ", by " + event.actor);
  const std::string number = std::to_string(id.value);
  ASSERT_EQ(history.size(), 7U);
  history.erase(history.begin(), history.begin() + 3);
  const std::string failure = "job " + number + ": no room for its script";
  EXPECT_EQ(history, (std::vector<std::string>{
                         "failure: " + failure + ", by controller",
                         "drained: 4 failures lately, the last: " + failure + ", by controller",
                         "forgiven: job " + number + " fails everywhere, by controller",
                         "resumed: job " + number + " fails everywhere, by controller"}));
  EXPECT_EQ(events("n2"), (std::vector<std::string>{"failure", "forgiven"}));
}

TEST_F(Health, TheSameLaunchErrorOnBothNodesHoldsTheJobAndDifferentErrorsDoNot) {
  node("n1", 1);
  node("n2", 1);
  const JobId same = submit({});
  refuse(same, "no such interpreter");
  refuse(same, "no such interpreter");
  EXPECT_TRUE(job(same).job.held);
  const JobId differs = submit({});
  refuse(differs, "no such device");
  refuse(differs, "no such interpreter");
  EXPECT_FALSE(job(differs).job.held);
}

TEST_F(Health, AnUnfitNodeIsDrainedUntilItIsFitAndAnOperatorsDrainStays) {
  node("n1", 1);
  report_unfit("n1", "disk /data is read-only");
  EXPECT_EQ(known("n1").drained_by, DrainedBy::HealthCheck);
  EXPECT_EQ(known("n1").reason, "disk /data is read-only");
  const auto acted = std::get<Acted>(ask(ActOnNodes{false, {"n1"}, ""}).body);
  EXPECT_EQ(acted.outcomes.at(0).done,
            "still drained by its health check: disk /data is read-only");
  EXPECT_TRUE(known("n1").drained);
  report_unfit("n1", "");
  EXPECT_FALSE(known("n1").drained);
  ask(ActOnNodes{true, {"n1"}, "bad fan"});
  report_unfit("n1", "disk /data is read-only");
  report_unfit("n1", "");
  EXPECT_EQ(known("n1").drained_by, DrainedBy::Person);
  EXPECT_EQ(known("n1").reason, "bad fan");
}

TEST_F(Health, ANodeThatIsSetDownEndsItsJobsAndTakesNone) {
  node("n1", 3);
  node("n2", 1);
  const auto on_n1 = [](JobSpec& s) { s.nodelist = {"n1"}; };
  const JobId once = submit({.with = [&](JobSpec& s) { on_n1(s), s.requeue = false; }});
  const JobId again = submit({.with = on_n1});
  const JobId starting = submit({.with = on_n1});
  ready(once);
  ready(again);
  const auto acted = std::get<Acted>(ask(ActOnNodes{true, {"n1"}, "bad fan", false, true}).body);
  EXPECT_EQ(acted.outcomes.at(0).done, "down: 3 jobs are ended");
  EXPECT_TRUE(known("n1").set_down);
  EXPECT_EQ(events("n1"), std::vector<std::string>{"down"});
  const std::string by = known("n1").reason_by;
  EXPECT_TRUE(by.starts_with("user ")) << by;
  for (const JobId id : {once, again, starting}) {
    EXPECT_EQ(state(id), "COMPLETING");
    finish(id, 1);
  }
  EXPECT_EQ(state(once), "NODE_FAIL");
  EXPECT_EQ(state(again), "PENDING");
  EXPECT_EQ(state(starting), "PENDING");
  EXPECT_NE(job(once).job.why->find("node n1 was set DOWN: bad fan"), std::string::npos);
  restart();
  node("n1", 3);
  EXPECT_TRUE(known("n1").set_down) << "a hello does not undo it";
  EXPECT_EQ(known("n1").reason_by, by);
  EXPECT_EQ(state(again), "PENDING");
  ask(ActOnNodes{false, {"n1"}, ""});
  EXPECT_FALSE(known("n1").set_down);
  EXPECT_EQ(known("n1").reason_by, "");
  pass(Milliseconds{1'000});
  EXPECT_EQ(state(again), "CONFIGURING");
}

TEST_F(Health, OnlyTheClusterOwnerSetsANodeDownAndWithAReason) {
  node("n1", 1);
  const JobId id = submit({});
  EXPECT_EQ(std::get<Acted>(ask(ActOnNodes{true, {"n1"}, "", false, true}).body)
                .outcomes.at(0)
                .refused->fact,
            "a drain needs a reason");
  const auto other = std::get<Acted>(ask_as(7, ActOnNodes{true, {"n1"}, "why", false, true}).body);
  EXPECT_EQ(other.outcomes.at(0).refused->fact, "only the cluster's own user may do that");
  EXPECT_EQ(state(id), "CONFIGURING");
}

TEST_F(Health, ARefusalByAnUnfitNodeIsNeitherTheJobsFaultNorCounted) {
  node("n1", 1);
  node("n2", 1);
  const JobId id = submit({.with = [](JobSpec& s) { s.nodelist = {"n1"}; }});
  report_unfit("n1", "the spool folder is full");
  refuse(id, "the spool folder is full");
  EXPECT_EQ(state(id), "PENDING");
  EXPECT_FALSE(job(id).job.held);
  EXPECT_TRUE(known("n1").failures.empty());
  report_unfit("n1", "");
  EXPECT_EQ(state(id), "CONFIGURING");
}

TEST_F(Health, AJobEndsThoughItsProcessesSurviveSigkill) {
  node("n1", 1);
  node("n2", 1);
  const JobId id = submit({.with = [](JobSpec& s) { s.nodelist = {"n1"}; }});
  ready(id);
  ask(ActOnJobs{JobVerb::Cancel, {id}});
  auto stuck = status_of(id, NodePhase::Stopping);
  stuck.kill_failure = KillFailure::Held;
  status("n1", stuck);
  EXPECT_EQ(state(id), "CANCELLED");
  EXPECT_EQ(known("n1").drained_by, DrainedBy::KillTask);
  EXPECT_EQ(known("n1").reason, "Kill task failed");
  ask(ActOnNodes{false, {"n1"}, ""});
  const JobId wants = submit({.with = [](JobSpec& s) { s.nodelist = {"n1"}; }});
  deliver("n1", Heartbeat{"n1",
                          session["n1"],
                          ++numbers["n1"],
                          {{stuck.key, revisions["n1"], NodePhase::Stopping, 0}}});
  pass(Milliseconds{1'000});
  EXPECT_EQ(state(wants), "PENDING") << "its room is still taken";
  beat("n1");
  EXPECT_EQ(state(wants), "CONFIGURING");
}

TEST_F(Health, ANodeWhosePrologFailsIsDrainedAndItsJobGoesElsewhere) {
  node("n1", 1);
  node("n2", 1);
  const JobId id = submit({});
  const std::string error = "Prolog error: exit code 3: no such mount";
  const std::string first = nodes(id);
  auto preparing = status_of(id, NodePhase::Preparing);
  preparing.site_error = error;
  status(first, preparing);
  EXPECT_EQ(known(first).drained_by, DrainedBy::PrologEpilog) << "before its epilog has ended";
  EXPECT_EQ(known(first).reason, error);
  EXPECT_EQ(state(id), "CONFIGURING");
  auto refusal = status_of(id, NodePhase::Gone);
  refusal.refused = refusal.site_error = error;
  status(first, refusal);
  EXPECT_NE(nodes(id), first);
  EXPECT_FALSE(job(id).job.held);
  EXPECT_TRUE(known(first).failures.empty()) << "the node is drained, not also avoided";
  report_unfit(first, "the spool folder is full");
  report_unfit(first, "");
  EXPECT_EQ(known(first).reason, error) << "until an operator resumes it";
  ask(ActOnNodes{false, {first}, ""});
  EXPECT_FALSE(known(first).drained);
}

TEST_F(Health, AFailedEpilogDrainsTheNodeAlsoIfItIsReportedLate) {
  node("n1", 1);
  const JobId id = submit({});
  ready(id);
  auto ended = status_of(id, NodePhase::Gone);
  ended.site_error = "Epilog error: exit code 1";
  RankStatus rank;
  rank.phase = RankPhase::Exited;
  ended.ranks = {rank};
  status("n1", ended);
  EXPECT_EQ(state(id), "COMPLETED") << "which is not the job's fault";
  EXPECT_EQ(known("n1").drained_by, DrainedBy::PrologEpilog);
  ask(ActOnNodes{false, {"n1"}, ""});
  ended.site_error = "Epilog error: exit code 2";
  status("n1", ended);  // late
  EXPECT_EQ(known("n1").reason, "Epilog error: exit code 2");
}

TEST_F(Health, AJobWhosePrologFailsEverywhereIsHeldAfterThreeNodes) {
  for (const char* name : {"n1", "n2", "n3", "n4"}) node(name, 1);
  const JobId id = submit({});
  for (int i = 0; i < 3; ++i) {
    auto refusal = status_of(id, NodePhase::Gone);
    refusal.refused = refusal.site_error = "Prolog error: exit code 1";
    status(nodes(id), refusal);
    pass_with_beats(Milliseconds{5'000}, {"n1", "n2", "n3", "n4"});
  }
  EXPECT_TRUE(job(id).job.held);
  EXPECT_EQ(std::ranges::count_if(
                controller->cluster().nodes().all(),
                [](const auto& one) { return one.second.drained_by == DrainedBy::PrologEpilog; }),
            3)
      << "the fourth node is left";
}

TEST_F(Health, AJobThatStartsAgainWaitsForProcessesThatMayStillRun) {
  node("n1", 1);
  node("n2", 1);
  const JobId id = submit({});
  ready(id);
  ask(ActOnJobs{JobVerb::Requeue, {id}});
  auto left = status_of(id, NodePhase::Stopping);
  left.kill_failure = KillFailure::Runs;
  status("n1", left);
  EXPECT_EQ(known("n1").drained_by, DrainedBy::KillTask);
  EXPECT_EQ(job(id).job.attempt.value, 1) << "two of its attempts never run at once";
  left.kill_failure = KillFailure::Held;
  status("n1", left);
  EXPECT_EQ(job(id).job.attempt.value, 2);
  EXPECT_EQ(nodes(id), "n2");
}

TEST_F(Health, AJobWhoseSupervisorIsLostEndsButStartsAgainOnlyWhenAllItsProcessesHave) {
  node("n1", 1);
  node("n2", 1);
  const JobId id = submit({});
  ready(id);
  auto left = status_of(id, NodePhase::Running);
  left.supervisor_lost = true;
  left.kill_failure = KillFailure::Runs;
  status("n1", left);
  EXPECT_EQ(state(id), "COMPLETING");
  EXPECT_EQ(known("n1").drained_by, DrainedBy::KillTask);
  EXPECT_TRUE(known("n1").failures.empty()) << "it counts when the attempt is over";
  left.phase = NodePhase::Gone;
  status("n1", left);
  EXPECT_EQ(known("n1").failures.size(), 1u);
  EXPECT_EQ(job(id).job.attempt.value, 2);
  EXPECT_EQ(nodes(id), "n2");
}

}  // namespace
}  // namespace cox
