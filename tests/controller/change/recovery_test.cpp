// Tests a database that has gone back in time, and what the next leader does about jobs that the
// nodes run. The tests promote a replica that lags: an earlier copy of the store's tables.
#include "controller/change/recovery.h"

#include <gtest/gtest.h>

#include <limits>

#include "common/base/moment_text.h"
#include "controller/scheduling/ineligible.h"
#include "tests/controller/bench.h"

namespace cox {
namespace {

class FailoverStory : public testing::Test, public Bench {
 protected:
  FailoverStory() { config.lease = Milliseconds{60'000}; }

  void let_replica_lag() { replica = database->tables; }
  // The former primary dies, and the controller restarts on the replica. If `keeps_state`, it still
  // has what it knew of the primary.
  void promote(bool keeps_state = true) {
    store.known = keeps_state ? controller->known() : LastKnownState{};
    ++replica.timeline;
    database->tables = replica;
    sent.clear();
    restart();
  }
  // `seen` is the highest term that the worker has obeyed. If `obeys`, that is at least the term of
  // this leader.
  void hello(const std::string& name, const std::vector<AttemptStatus>& attempts,
             Term seen = Term{}, bool obeys = true) {
    WorkerHello hello;
    hello.node.name = name;
    hello.node.total.cpus = 2;
    hello.node.total.memory_mb = 1000;
    hello.node.address = "10.0.0." + name.substr(1);
    hello.session = "again-" + name + std::to_string(++sessions);
    hello.number = ++numbers[name];
    hello.term_seen = obeys ? std::max(seen, controller->cluster().term()) : seen;
    hello.attempts = attempts;
    session[name] = hello.session;
    deliver(name, hello);
  }
  // Passes node_timeout: within it, a node that is not in the database would report itself.
  void let_moment_pass() {
    now.boot += config.node_timeout;
    now.wall += config.node_timeout;
  }
  const Failover& failover() const { return database->tables.failovers.back(); }
  int events(JobId id, const std::string& what) const {
    return static_cast<int>(std::ranges::count_if(
        database->tables.events, [&](const auto& e) { return e.job == id && e.what == what; }));
  }

  MemoryTables replica;
};

TEST_F(FailoverStory, NoJobStartsBeforeEveryNodeHasReportedWhatItRuns) {
  node("n1", 2);
  const JobId first = submit({.tasks = 2});
  ready(first);
  const JobId forgotten = submit({.tasks = 2});  // pending, since n1 is the only node and is full
  let_replica_lag();
  node("n2", 2);  // registered too late for the replica
  ready(forgotten);
  const AttemptStatus running = status_of(forgotten, NodePhase::Running);
  const AttemptStatus known = status_of(first, NodePhase::Running);
  const JobId unknown = submit({});
  const Term before = controller->cluster().term();
  promote();
  let_moment_pass();

  EXPECT_GT(controller->cluster().term(), before);
  EXPECT_GT(failover().turns_lost, 0);
  EXPECT_EQ(failover().jobs_lost, std::vector<JobId>{unknown});
  EXPECT_EQ(controller->cluster().job(unknown), nullptr);
  hello("n2", {running});
  EXPECT_EQ(take<Stop>().front().second.key, running.key)
      << "the database does not have the attempt, so it is stopped";
  EXPECT_EQ(state(forgotten), "PENDING") << "n1 has not reported what it runs";
  const auto why = why_ineligible(controller->cluster(), job(forgotten).job, now);
  ASSERT_TRUE(why);
  EXPECT_NE(why->detail.find("no report yet from n1"), std::string::npos) << why->detail;
  const auto database_text = [&] {
    return std::get<ClusterView>(ask(ShowCluster{}).body).database;
  };
  EXPECT_TRUE(database_text().starts_with("may have lost its newest changes (found at "));
  EXPECT_NE(database_text().find("no report yet from n1"), std::string::npos);
  EXPECT_EQ(failover().attempts_lost,
            std::vector<std::string>{std::to_string(forgotten.value) + ".1"});
  beat("n2", {{running.key, running.revision, NodePhase::Stopping, 0}});
  EXPECT_EQ(events(forgotten, "lost"), 1) << "the loss is recorded once";
  EXPECT_GT(submit({}).value, unknown.value);

  hello("n1", {known});
  pass(Milliseconds{250});
  EXPECT_EQ(failover().settled, now.wall);
  EXPECT_EQ(database_text(), "ready");
  EXPECT_EQ(state(first), "RUNNING");
  auto gone = running;
  gone.phase = NodePhase::Gone;
  beat("n2", {{running.key, running.revision, NodePhase::Gone, 0}});
  pass(Milliseconds{250});
  EXPECT_EQ(state(forgotten), "CONFIGURING");
  EXPECT_EQ(job(forgotten).job.attempt, AttemptNumber{1 + attempts_lost_max})
      << "no number that the lost attempt may have had";
}

TEST_F(FailoverStory, NoJobStartsUntilTheLeaseOfASilentNodeHasPassed) {
  node("n1", 2);
  node("n2", 2);
  let_replica_lag();
  const JobId lost = submit({});
  const auto lost_status = status_of(lost, NodePhase::Running);
  promote(false);
  EXPECT_EQ(failover().turns_lost, std::nullopt) << "its controller died as well";
  EXPECT_TRUE(failover().jobs_lost.empty());
  hello("n1", {});
  const JobId fresh = submit({});
  EXPECT_GT(fresh.value, lost.value);
  pass_with_beats(config.lease, {"n1"});
  EXPECT_EQ(state(fresh), "PENDING");
  pass_with_beats(config.lease_grace + config.kill_wait + config.lease_margin + Milliseconds{2000},
                  {"n1"});
  EXPECT_NE(state(fresh), "PENDING");

  hello("n2", {lost_status});  // n2 did not die: it was only cut off
  EXPECT_EQ(failover().jobs_lost, std::vector<JobId>{lost});
  EXPECT_EQ(take<Stop>().back().second.key, lost_status.key);
}

TEST_F(FailoverStory, TheNextLeaderContinuesToWaitForReportsIfALeaderDiesAfterAFailover) {
  node("n1", 2);
  let_replica_lag();
  submit({});
  promote();
  EXPECT_EQ(failover().settled, Wall{});
  store.known = {};
  restart();
  EXPECT_EQ(database->tables.failovers.size(), 1u);
  const JobId waiting = submit({});
  pass(Milliseconds{250});
  EXPECT_EQ(state(waiting), "PENDING");
  let_moment_pass();
  hello("n1", {});
  pass(Milliseconds{250});
  EXPECT_EQ(state(waiting), "CONFIGURING");
}

// n2 registered and got the job within the turns that the replica lacks, so no row mentions n2.
TEST_F(FailoverStory, ANodeThatTheDatabaseHasForgottenGetsTimeToReport) {
  node("n1", 2);
  const JobId known = submit({.tasks = 2});
  ready(known);
  const JobId forgotten = submit({.tasks = 2});
  let_replica_lag();
  node("n2", 2);
  ready(forgotten);
  const AttemptStatus running = status_of(forgotten, NodePhase::Running);
  promote();
  hello("n1", {status_of(known, NodePhase::Running)});
  pass_with_beats(config.node_timeout - Milliseconds{1000}, {"n1"});
  EXPECT_EQ(failover().settled, Wall{}) << "though all known nodes have reported";
  hello("n2", {running});
  EXPECT_EQ(failover().attempts_lost.size(), 1u);
  EXPECT_EQ(take<Stop>().back().second.key, running.key);
  pass_with_beats(Milliseconds{2000}, {"n1"});
  EXPECT_NE(failover().settled, Wall{});
}

// The replica has the gang in state CONFIGURING. In the turns that it lacks, the gang started and
// ended.
TEST_F(FailoverStory, AnAttemptThatMayHaveRunIsNotPreparedAgainUnderItsNumber) {
  node("n1", 2);
  node("n2", 2);
  const JobId gang = submit({.nodes = 2, .tasks = 4});
  ASSERT_EQ(state(gang), "CONFIGURING");
  let_replica_lag();
  ready(gang);
  promote();
  hello("n1", {});
  hello("n2", {});
  EXPECT_TRUE(take<Prepare>().empty());
  let_moment_pass();
  pass_with_beats(Milliseconds{2000}, {"n1", "n2"});
  EXPECT_EQ(job(gang).job.attempt, AttemptNumber{2 + attempts_lost_max});
  EXPECT_TRUE(job(gang).job.avoid_nodes.empty()) << "no node is to blame";
}

TEST_F(FailoverStory, ARunningGangContinuesThoughTheDatabaseHasItAsConfiguring) {
  node("n1", 2);
  node("n2", 2);
  const JobId gang =
      submit({.nodes = 2, .tasks = 4, .with = [](JobSpec& s) { s.requeue = false; }});
  let_replica_lag();
  ready(gang);
  AttemptStatus runs = status_of(gang, NodePhase::Running);
  AttemptStatus waits = status_of(gang, NodePhase::Ready);
  runs.revision = waits.revision = 10;
  promote();
  hello("n1", {runs});
  EXPECT_EQ(state(gang), "RUNNING");
  hello("n2", {waits});
  EXPECT_EQ(take<Go>().back().first, "worker-n2") << "the first Go had not arrived there";
  pass_with_beats(config.prepare_timeout + Milliseconds{2000}, {"n1", "n2"});
  EXPECT_EQ(state(gang), "RUNNING");
  EXPECT_EQ(attempt(gang).key.attempt, AttemptNumber{1});
}

TEST_F(FailoverStory, AGangStaysConfiguringWhileItMayRunOnASilentNode) {
  node("n1", 2);
  node("n2", 2);
  const JobId gang = submit({.nodes = 2, .tasks = 4});
  let_replica_lag();
  ready(gang);
  const AttemptStatus waits = status_of(gang, NodePhase::Ready);
  promote();
  hello("n1", {waits});
  pass_with_beats(config.prepare_timeout + Milliseconds{2000}, {"n1"});
  EXPECT_EQ(state(gang), "CONFIGURING") << "its ranks may run on n2 until the lease has passed";
}

// In the turns that the replica lacks, the launch was undone, so the nodes report the gang as gone.
TEST_F(FailoverStory, AGangThatHasEndedOnAllNodesIsTriedAgain) {
  node("n1", 2);
  node("n2", 2);
  const JobId gang = submit({.nodes = 2, .tasks = 4});
  let_replica_lag();
  submit({});
  AttemptStatus gone = status_of(gang, NodePhase::Gone);
  gone.revision = 10;
  promote();
  hello("n1", {gone});
  hello("n2", {gone});
  let_moment_pass();
  pass_with_beats(config.prepare_timeout + Milliseconds{2000}, {"n1", "n2"});
  EXPECT_EQ(job(gang).job.attempt, AttemptNumber{2 + attempts_lost_max});
}

TEST_F(FailoverStory, AHelloSentToAnEarlierLeaderDoesNotProveThatAnAttemptIsGone) {
  node("n1", 2);
  node("n2", 2);
  const JobId gang = submit({.nodes = 2, .tasks = 4});
  let_replica_lag();
  ready(gang);
  promote();
  hello("n1", {}, Term{}, false);
  EXPECT_EQ(state(gang), "CONFIGURING");
  EXPECT_TRUE(take<Prepare>().empty());
}

TEST_F(FailoverStory, AJobThatIsNeverRequeuedEndsIfItMayHaveRun) {
  node("n1", 2);
  node("n2", 2);
  const JobId gang =
      submit({.nodes = 2, .tasks = 4, .with = [](JobSpec& s) { s.requeue = false; }});
  let_replica_lag();
  ready(gang);
  promote();
  hello("n1", {});
  hello("n2", {});
  EXPECT_EQ(state(gang), "NODE_FAIL");
}

// The node has suspended the job by an order that the replica lacks. The new leader orders it to
// resume, by a higher number.
TEST_F(FailoverStory, ANodeThatObeyedALostOrderToSuspendReceivesANewerOrder) {
  node("n1", 2);
  const JobId id = submit({.tasks = 2});
  ready(id);
  AttemptStatus suspended_status = status_of(id, NodePhase::Running);
  suspended_status.suspension = {3, true};
  let_replica_lag();
  submit({});
  promote();
  hello("n1", {suspended_status});
  const auto suspends = take<Suspend>();
  ASSERT_EQ(suspends.size(), 1u);
  EXPECT_EQ(suspends.front().second.order, (Suspension{4, false}));
  EXPECT_EQ(attempt(id).suspension.number, 4);
}

// If the new leader's clock is behind that of the former one, the attempt seems to begin after the
// failover. Even then its number is not used again.
TEST_F(FailoverStory, AnAttemptNumberThatALostTurnMayHaveUsedIsNotReused) {
  node("n1", 2);
  const JobId known = submit({.tasks = 2});
  ready(known);
  let_replica_lag();
  promote(false);
  hello("n1", {});  // the attempt has ended there, and later ones may have run
  pass_with_beats(Milliseconds{60'000}, {"n1"});
  EXPECT_EQ(job(known).job.attempt, AttemptNumber{2 + attempts_lost_max});
}

// Another controller led on the former primary while this controller was cut off. Both now use the
// promoted replica, which lacks the other's higher term.
TEST_F(FailoverStory, ALeaderThatMeetsAHigherTermTakesATermBeyondIt) {
  node("n1", 2);
  const Term ours = controller->cluster().term();
  const Term theirs{ours.value + 1};
  sent.clear();
  hello("n1", {}, theirs);
  EXPECT_TRUE(controller->superseded());
  EXPECT_TRUE(controller->database_regressed());
  EXPECT_EQ(controller->known().term, theirs);
  EXPECT_FALSE(controller->known().is_all);
  EXPECT_TRUE(sent.empty()) << "that turn was not committed";

  store.known = controller->known();
  restart();
  EXPECT_EQ(controller->cluster().term(), Term{theirs.value + terms_lost_max});
  EXPECT_EQ(failover().turns_lost, std::nullopt);
  const JobId job = submit({});
  EXPECT_EQ(state(job), "PENDING") << "n1 may run what only the lost term knew";
  let_moment_pass();
  hello("n1", {}, theirs);
  EXPECT_TRUE(controller->ready());
  pass(Milliseconds{250});
  EXPECT_EQ(state(job), "CONFIGURING");
}

TEST_F(FailoverStory, AHelloWithAnImpossiblyHighTermIsRejected) {
  hello("n1", {}, Term{std::numeric_limits<std::int64_t>::max()});
  EXPECT_TRUE(controller->ready());
  EXPECT_EQ(take<Rejected>().size(), 1u);
}

TEST_F(FailoverStory, ALeaderThatDoubtedItsLeaseDoesNotKnowAllTurnsUntilItsNextCommit) {
  EXPECT_TRUE(controller->known().is_all);
  controller->set_sure(false);
  controller->set_sure(true);
  EXPECT_FALSE(controller->known().is_all);
  node("n1", 2);  // the committed turn shows that no other leader wrote
  EXPECT_TRUE(controller->known().is_all);
}

TEST_F(FailoverStory, WithoutALeaseNoJobStartsUntilASilentNodeIsDrained) {
  config.lease = Milliseconds{0};
  restart();
  node("n1", 2);
  node("n2", 2);
  let_replica_lag();
  submit({});
  promote(false);
  hello("n1", {});
  const JobId fresh = submit({});
  pass_with_beats(std::chrono::hours{1}, {"n1"});
  EXPECT_EQ(state(fresh), "PENDING") << "what n2 runs may run there for ever";
  ask(ActOnNodes{true, {"n2"}, "it burnt down"});
  pass_with_beats(Milliseconds{2'000}, {"n1"});
  EXPECT_EQ(state(fresh), "CONFIGURING");
}

TEST_F(FailoverStory, ALostJobIsReportedAsLostAndNotAsOneThatNeverWas) {
  node("n1", 2);
  submit({});
  let_replica_lag();
  const JobId lost = submit({});
  promote(false);
  const std::string fact = refusal_of(ask(ShowHistory{lost}));
  EXPECT_EQ(fact,
            "there is no job 2: it may have been lost when the database returned to an "
            "earlier state, found at " +
                moment_text(failover().found));
  const auto hint = std::get<Refused>(ask(ShowHistory{lost}).body).why.hint;
  EXPECT_NE(hint.find("submit it again. Jobs 2 to "), std::string::npos) << hint;
  EXPECT_EQ(refusal_of(ask(ShowJob{lost})), fact);
  EXPECT_EQ(refusal_of(ask(ReadScript{lost})), fact);
  EXPECT_EQ(refusal_of(ask(VerifyCheckpoints{lost})), fact);
  const auto acted = std::get<Acted>(ask(ActOnJobs{JobVerb::Cancel, {lost}}).body);
  EXPECT_EQ(acted.outcomes.at(0).refused->fact, fact);
  const JobId next = controller->cluster().jobs().next_id();
  EXPECT_EQ(refusal_of(ask(ShowHistory{next})),
            "there never was a job " + std::to_string(next.value));
}

TEST_F(FailoverStory, NoJobWaitsIfNothingIsLost) {
  node("n1", 2);
  let_replica_lag();
  promote();
  hello("n1", {});
  const JobId job = submit({});
  EXPECT_EQ(state(job), "CONFIGURING");
  EXPECT_EQ(failover().turns_lost, 0);
  EXPECT_EQ(attempt(job).key.attempt, AttemptNumber{1});
}

// The store returns attempts and checkpoints in any order.
TEST(LoadedCluster, ALoadedClusterOrdersAttemptsByNumberAndCheckpointsByStep) {
  ControllerConfig config;
  config.partitions = {{"main", {}, true, 0, 0, 0}};
  Snapshot snapshot;
  snapshot.next_job = JobId{2};
  snapshot.qos = MemoryDatabase().tables.qos;
  Job job;
  job.id = JobId{1};
  job.state = JobState::Pending;
  job.attempt = AttemptNumber{2};
  JobSpec spec;
  spec.qos = "standard";
  spec.partition = "main";
  spec.nodes = spec.tasks = spec.cpus_per_task = 1;
  job.spec = spec;
  snapshot.jobs = {job};
  for (const std::int32_t number : {2, 1}) {
    Attempt attempt;
    attempt.key = {job.id, AttemptNumber{number}};
    attempt.ended = wall_from_ms(5'000 + number);
    snapshot.attempts.push_back(attempt);
    for (const std::int64_t step : {30, 10}) {
      Checkpoint checkpoint;
      checkpoint.key = attempt.key;
      checkpoint.step = step;
      checkpoint.pruned = step == 30 && number == 1;
      snapshot.checkpoints.push_back(checkpoint);
    }
  }
  Cluster cluster(config);
  cluster.load(snapshot, Now{boot_from_ms(1'000'000), wall_from_ms(1'700'000'000'000)});
  const JobEntry& e = *cluster.job(job.id);
  std::string order;
  for (const Attempt& a : e.attempts) order += std::to_string(a.key.attempt.value) + " ";
  for (const Checkpoint& c : e.checkpoints)
    order += std::to_string(c.step) + "/" + std::to_string(c.key.attempt.value) + " ";
  EXPECT_EQ(order, "1 2 10/1 10/2 30/2 ");
  EXPECT_EQ(e.newest_checkpoint()->step, 30);
}

}  // namespace
}  // namespace cox
