// Tests messages to workers, and which messages of workers count: launches, hellos, heartbeats and
// losses.
#include <gtest/gtest.h>

#include "common/base/limits.h"
#include "controller/state/node_health.h"
#include "tests/controller/bench.h"

namespace cox {
namespace {

class WorkerWords : public testing::Test, public Bench {
 protected:
  // Returns a hello of the node's worker with the session that the controller has recorded.
  WorkerHello hello_of(const std::string& name) {
    WorkerHello hello;
    hello.node = *controller->cluster().node(name);
    hello.session = session[name];
    hello.number = ++numbers[name];
    hello.term_seen = controller->cluster().term();
    return hello;
  }
  // Returns "welcome", "rejected", or "" if the hello is ignored.
  std::string answer_to(const WorkerHello& hello, const std::string& from) {
    take<Welcome>();
    take<Rejected>();
    deliver(from, hello);
    const bool welcome = !take<Welcome>().empty();
    return welcome ? "welcome" : take<Rejected>().empty() ? "" : "rejected";
  }
  std::string answer_to(const WorkerHello& hello) { return answer_to(hello, hello.node.name); }
  // Returns the acknowledgements of heartbeats as "NUMBER of SESSION: lease MS;", such as "3 of
  // session-n11: lease 600000;".
  std::string acks() {
    std::string text;
    for (const auto& [peer, ack] : take<HeartbeatAck>())
      text += std::to_string(ack.number) + " of " + ack.session + ": lease " +
              std::to_string(ack.lease_ms) + (ack.hello_wanted ? ", hello wanted" : "") +
              (ack.unsure ? ", unsure" : "") +
              (ack.term == controller->cluster().term() ? "" : ", another term") + ";";
    return text;
  }
  std::string acks_of(const std::string& from, const Heartbeat& beat) {
    take<HeartbeatAck>();
    deliver(from, beat);
    return acks();
  }
  // Returns the recorded events of a node with their reasons, such as "failure: it has lost job 1".
  std::vector<std::string> node_events(const std::string& name) const {
    std::vector<std::string> texts;
    for (const NodeEvent& event : database->tables.node_events)
      if (event.node == name) texts.push_back(event.what + ": " + event.why);
    return texts;
  }

  // Reports that each rank of the job runs and has saved this step.
  void save_on_all_ranks(JobId id, std::int64_t step) {
    const Attempt live = attempt(id);
    for (const AttemptNode& n : live.nodes) {
      AttemptStatus s = status_of(id, NodePhase::Running);
      for (std::int32_t k = 0; k < n.grant.ranks; ++k) {
        RankStatus& rank = s.ranks.emplace_back();
        rank.rank = n.grant.first_rank + k;
        rank.phase = RankPhase::Running;
        rank.saved = {{step, 10, 1, false}};
      }
      status(n.grant.node, s);
    }
  }
};

TEST_F(WorkerWords, AWorkerOfAnotherClusterIsRefusedAndBothNamesAreRecordedOnce) {
  config.cluster_name = "hydra";
  restart();
  node("n1", 2);
  WorkerHello hello = hello_of("n1");
  hello.session = "elsewhere";
  hello.cluster_name = "lerna";
  const std::string fact =
      "the worker of node n1 is of cluster \"lerna\", and this controller of cluster \"hydra\"";
  for (int times = 0; times < 2; ++times) {
    hello.number = ++numbers["n1"];
    take<Welcome>();
    take<Rejected>();
    deliver("n1", hello);
    EXPECT_TRUE(take<Welcome>().empty());
    const auto rejected = take<Rejected>();
    ASSERT_EQ(rejected.size(), 1u);
    EXPECT_EQ(rejected[0].second.why.fact, fact);
    EXPECT_FALSE(rejected[0].second.ends_worker) << "its setting may be corrected";
  }
  EXPECT_EQ(node_events("n1"), std::vector<std::string>{"refused: " + fact});
  EXPECT_EQ(controller->cluster().soft().contact("n1").session, session["n1"]);
  hello.cluster_name = "hydra";
  hello.number = ++numbers["n1"];
  EXPECT_EQ(answer_to(hello), "welcome");
}

TEST_F(WorkerWords, EachNodeReceivesItsPartOfALaunchAndItsGo) {
  config.domains = {{"n1", {"spine", "leaf1"}}, {"n2", {"spine", "leaf2"}}};
  config.lease = Milliseconds{601'000};
  config.lease_grace = Milliseconds{31'000};
  config.kill_wait = Milliseconds{32'000};
  config.unkillable_step_timeout = Milliseconds{33'000};
  config.log_size_max_mb = 3;
  restart();
  node("n1", 2, {}, {}, 1);
  node("n2", 2, {}, {}, 1);
  const Wall submitted = now.wall;
  const JobId id = submit({.nodes = 2, .tasks = 4, .time_limit_s = 100, .with = [](JobSpec& s) {
                             s.gpus_per_node = 1;
                           }});
  LaunchSpec expected;
  expected.key = attempt(id).key;
  expected.spec = *job(id).job.spec;
  expected.environment = std::string("A=1\0", 4);
  expected.nodes = {{attempt(id).nodes.at(0).grant, "10.0.0.1"},
                    {attempt(id).nodes.at(1).grant, "10.0.0.2"}};
  expected.cluster_name = "coxswain";
  expected.job_identity = job(id).job.identity;
  expected.job_checkpoint_dir = "/checkpoints/1-" + expected.job_identity;
  expected.submitted = submitted;
  expected.lease_ms = 601'000;
  expected.lease_grace_ms = 31'000;
  expected.kill_wait_ms = 32'000;
  expected.unkillable_ms = 33'000;
  expected.node_timeout_ms = config.node_timeout.count();
  expected.log_bytes_max = 3 << 20;
  expected.node_gpus = {{0, "h100", "", 0}};
  const auto launches = [&] {
    const auto prepares = take<Prepare>();
    ASSERT_EQ(prepares.size(), 2U);
    for (std::int32_t i = 0; i < 2; ++i) {
      const auto& [peer, prepare] = prepares[static_cast<std::size_t>(i)];
      const std::string name = "n" + std::to_string(i + 1);
      expected.node_index = i;
      expected.topology_addr = "spine.leaf" + std::to_string(i + 1) + "." + name;
      EXPECT_EQ(peer, "worker-" + name);
      EXPECT_EQ(prepare.launch, expected) << name;
      EXPECT_EQ(prepare.term, controller->cluster().term());
      EXPECT_EQ(prepare.session, session[name]);
      EXPECT_EQ(prepare.number, numbers[name]) << "the newest message of the node";
    }
  };
  launches();
  now.wall += Milliseconds{3'000};
  ready(id);
  const auto go = take<Go>();
  ASSERT_EQ(go.size(), 2U);
  for (const auto& [peer, message] : go) {
    EXPECT_EQ(message.key, attempt(id).key);
    EXPECT_EQ(message.order, (GoOrder{"10.0.0.1", 4000, now.wall}));
  }
  save_on_all_ranks(id, 7);
  ask(ActOnJobs{JobVerb::Requeue, {id}});
  finish(id, 143);
  pass_with_beats(Milliseconds{5'000}, {"n1", "n2"});
  take<Prepare>();
  for (const char* name : {"n1", "n2"})
    deliver(name, hello_of(name));  // each hello lists no attempt
  expected.key.attempt = AttemptNumber{2};
  expected.resume = ResumeFrom{AttemptNumber{1}, 7, JobId{}};
  expected.resume_ranks = 4;
  expected.restarts = 1;
  launches();
}

TEST_F(WorkerWords, AHelloIsAnsweredWithTermClusterHeartbeatAndSession) {
  node("n1", 2);
  const auto welcomes = take<Welcome>();
  ASSERT_EQ(welcomes.size(), 1U);
  EXPECT_EQ(welcomes[0].first, "worker-n1");
  EXPECT_EQ(welcomes[0].second.term, controller->cluster().term());
  EXPECT_EQ(welcomes[0].second.cluster_name, "coxswain");
  EXPECT_EQ(welcomes[0].second.heartbeat_ms, 2'000);
  EXPECT_EQ(welcomes[0].second.session, session["n1"]);
}

TEST_F(WorkerWords, AHelloWithInvalidWordsOrNumbersIsRejected) {
  node("n1", 2);
  const auto answer = [&](const std::function<void(Node&)>& edit) {
    WorkerHello hello = hello_of("n1");
    hello.node.total.gpus = {{0, "h100", "GPU-1", 0}};
    edit(hello.node);
    return answer_to(hello);
  };
  EXPECT_EQ(answer([](Node&) {}), "welcome");
  const std::string longest(limits::word_bytes_max, 'x');
  EXPECT_EQ(answer([&](Node& n) { n.version = longest; }), "welcome");
  for (const std::string& word : {longest + "x", std::string("\xff"), std::string("a\nb")}) {
    EXPECT_EQ(answer([&](Node& n) { n.address = word; }), "rejected");
    EXPECT_EQ(answer([&](Node& n) { n.log_endpoint = word; }), "rejected");
    EXPECT_EQ(answer([&](Node& n) { n.log_key = word; }), "rejected");
    EXPECT_EQ(answer([&](Node& n) { n.boot_id = word; }), "rejected");
    EXPECT_EQ(answer([&](Node& n) { n.version = word; }), "rejected");
    EXPECT_EQ(answer([&](Node& n) { n.features = {"fast", word}; }), "rejected");
    EXPECT_EQ(answer([&](Node& n) { n.total.gpus[0].type = word; }), "rejected");
    EXPECT_EQ(answer([&](Node& n) { n.total.gpus[0].uuid = word; }), "rejected");
  }
  EXPECT_EQ(answer([](Node& n) { n.total.cpus = -1; }), "rejected");
  EXPECT_EQ(answer([](Node& n) { n.total.memory_mb = -1; }), "rejected");
  EXPECT_EQ(answer([](Node& n) { n.weight = -1; }), "rejected");
  EXPECT_EQ(answer([](Node& n) { n.total.cpus = n.total.memory_mb = n.weight = 0; }), "welcome");
  WorkerHello nameless = hello_of("n1");
  nameless.node.name = "";
  EXPECT_EQ(answer_to(nameless, ""), "rejected");
}

TEST_F(WorkerWords, AHelloOfAnEarlierSessionOrTimeIsIgnored) {
  node("n1", 2);
  WorkerHello first = hello_of("n1");
  first.started_ms = 100;
  EXPECT_EQ(answer_to(first), "welcome");
  EXPECT_EQ(answer_to(first), "") << "the same once more";
  WorkerHello second = hello_of("n1");
  second.session = "second";
  second.started_ms = 200;
  EXPECT_EQ(answer_to(second), "welcome");
  first.number = 1'000;
  EXPECT_EQ(answer_to(first), "rejected") << "its session was replaced";
  WorkerHello earlier = second;
  earlier.session = "earlier";
  earlier.started_ms = 199;
  EXPECT_EQ(answer_to(earlier), "") << "a late message of a worker that has ended";
  earlier.started_ms = 200;
  EXPECT_EQ(answer_to(earlier), "welcome");
  WorkerHello booted = earlier;
  booted.session = "booted";
  booted.node.boot_id = "another";
  booted.started_ms = 1;
  EXPECT_EQ(answer_to(booted), "rejected") << "the worker before has just spoken";
  pass(config.node_timeout + Milliseconds{1});
  EXPECT_EQ(answer_to(booted), "welcome") << "its clock began anew";
}

TEST_F(WorkerWords, AHelloWithoutASessionIsIgnored) {
  node("n1", 2);
  WorkerHello hello = hello_of("n1");
  hello.session = "";
  EXPECT_EQ(answer_to(hello), "");
}

// `database` in coxswain.toml names another database by a slip: an empty one.
class WrongDatabase : public WorkerWords {
 protected:
  // Returns the hello of a worker of the cluster.
  WorkerHello hello_of_the_cluster(const std::string& name) {
    WorkerHello hello;
    hello.node.name = name;
    hello.node.total.cpus = 2;
    hello.session = "of-the-cluster";
    hello.number = ++numbers[name];
    hello.term_seen = controller->cluster().term();
    hello.newest_job = JobId{17};
    return hello;
  }
};

TEST_F(WrongDatabase, AControllerWhoseDatabaseHasNoAttemptsDoesNotEndWhatANodeRuns) {
  WorkerHello hello = hello_of_the_cluster("n1");
  hello.term_seen = Term{40};
  hello.attempts.resize(1);
  hello.attempts[0].key = {JobId{17}, AttemptNumber{1}};
  deliver("n1", hello);
  const auto rejected = take<Rejected>();
  ASSERT_EQ(rejected.size(), 1);
  EXPECT_EQ(rejected[0].second.why.fact,
            "the controller's database has never recorded an attempt, but node n1 has run job 17");
  EXPECT_TRUE(take<Stop>().empty());
  EXPECT_FALSE(controller->superseded()) << "a higher term would let the node obey";
  EXPECT_EQ(controller->cluster().jobs().next_id(), JobId{1});
}

TEST_F(WrongDatabase, JobsThatItStartsElsewhereDoNotMakeItTheRightOne) {
  EXPECT_EQ(answer_to(hello_of_the_cluster("n1")), "rejected");
  node("n2", 2);
  ready(submit({}));
  EXPECT_EQ(answer_to(hello_of_the_cluster("n1")), "rejected");
  WorkerHello known = hello_of("n2");
  known.newest_job = JobId{1};
  EXPECT_EQ(answer_to(known), "welcome") << "its own jobs are in this database";
}

TEST_F(WrongDatabase, APersonMayAcceptThatItHasNoAttempts) {
  config.accept_loss = true;
  restart();
  EXPECT_EQ(answer_to(hello_of_the_cluster("n1")), "welcome");
}

TEST_F(WrongDatabase, ADatabaseIsTheRightOneOnceItHasAnAttempt) {
  node("n1", 2);
  ready(submit({}));
  WorkerHello hello = hello_of("n1");
  hello.newest_job = JobId{1};
  EXPECT_EQ(answer_to(hello), "welcome");
  restart();
  node("n1", 2);
  WorkerHello again = hello_of("n1");
  again.newest_job = JobId{1};
  EXPECT_EQ(answer_to(again), "welcome");
}

TEST_F(WorkerWords, NoJobIdIsIssuedThatANodeHasSeen) {
  node("n1", 2);
  const auto next_after = [&](std::int64_t newest_job) {
    WorkerHello hello = hello_of("n1");
    hello.newest_job = JobId{newest_job};
    deliver("n1", hello);
    return controller->cluster().jobs().next_id().value;
  };
  EXPECT_EQ(next_after(0), 1);
  EXPECT_EQ(next_after(50), 51);
  EXPECT_EQ(next_after(50), 51);
  EXPECT_EQ(next_after(7), 51);
  EXPECT_EQ(next_after(10'000'051), 51) << "no cluster has run so many jobs meanwhile";
  EXPECT_EQ(submit({}), JobId{51});
  EXPECT_EQ(next_after(10'000'051), 10'000'052);
}

TEST_F(WorkerWords, AHeartbeatOfAKnownSessionIsAcknowledgedAtOnce) {
  node("n1", 2);
  node("n2", 2);
  const std::string own = session["n1"];
  const Heartbeat first{"n1", own, 2, {}};
  EXPECT_EQ(acks_of("n1", first), "2 of " + own + ": lease 600000;");
  EXPECT_EQ(acks_of("n1", first), "2 of " + own + ": lease 600000;") << "its answer was lost";
  EXPECT_EQ(acks_of("n1", Heartbeat{"n1", own, 5, {}}), "5 of " + own + ": lease 600000;");
  EXPECT_EQ(acks_of("n1", Heartbeat{"n1", own, 4, {}}), "") << "a newer one was acknowledged";
  EXPECT_EQ(acks_of("n2", Heartbeat{"n1", own, 6, {}}), "") << "n2 may not report for n1";
  EXPECT_EQ(acks_of("n1", Heartbeat{"n1", "other", 1, {}}), "1 of other: lease 0, hello wanted;");
  EXPECT_EQ(acks_of("n1", Heartbeat{"n1", "", 1, {}}), "1 of : lease 0, hello wanted;");
  controller->set_sure(false);
  EXPECT_EQ(acks_of("n1", Heartbeat{"n1", own, 7, {}}), "7 of " + own + ": lease 600000, unsure;");
  controller->set_sure(true);
  WorkerHello late = hello_of("n1");
  late.session = "late";
  late.term_seen = Term{};
  EXPECT_EQ(answer_to(late), "welcome");
  EXPECT_EQ(acks_of("n1", Heartbeat{"n1", own, 9, {}}), "") << "its session was replaced";
  EXPECT_EQ(acks_of("n1", Heartbeat{"n1", "late", 10, {}}), "10 of late: lease 0, hello wanted;")
      << "it has not obeyed this controller yet";
}

TEST_F(WorkerWords, ANodeThatRebootedHasLostItsAttempts) {
  node("n1", 2);
  node("n2", 2);
  const JobId alone = submit({.with = [](JobSpec& s) { s.nodelist = {"n1"}; }});
  const JobId gang = submit({.nodes = 2, .tasks = 2});
  ready(alone);
  ready(gang);
  for (const char* name : {"n1", "n2"}) status(name, status_of(gang, NodePhase::Running));
  status("n1", status_of(alone, NodePhase::Running));
  pass_with_beats(missed_beats_to_suspect * config.heartbeat + Milliseconds{1'000}, {"n2"});
  WorkerHello hello = hello_of("n1");
  hello.session = session["n1"] = "after the boot";
  hello.node.boot_id = "another";
  deliver("n1", hello);
  const AttemptKey first{alone, AttemptNumber{1}}, of_gang{gang, AttemptNumber{1}};
  EXPECT_EQ(database->tables.attempts.at(first).outcome, "node n1 has rebooted");
  EXPECT_EQ(database->tables.attempts.at(of_gang).stop.detail, "node n1 no longer has the attempt");
  EXPECT_EQ(node_events("n1"),
            std::vector<std::string>{"failure: it rebooted while job 1 ran there"})
      << "a node that is lost counts once a minute";
  EXPECT_TRUE(node_events("n2").empty());
}

TEST_F(WorkerWords, ANodeThatLacksAnAttemptReceivesItAgainOrHasLostIt) {
  node("n1", 2);
  const JobId id = submit({.tasks = 2});
  take<Prepare>();
  WorkerHello hello = hello_of("n1");
  hello.term_seen = Term{};
  hello.session = session["n1"] = "new";
  deliver("n1", hello);
  EXPECT_EQ(take<Prepare>().size(), 1U) << "it is prepared again";
  ready(id);
  ASSERT_EQ(state(id), "RUNNING");
  beat("n1");
  EXPECT_EQ(state(id), "RUNNING") << "the heartbeat may be older than this controller";
  deliver("n1", hello_of("n1"));
  EXPECT_EQ(database->tables.attempts.at({id, AttemptNumber{1}}).outcome,
            "node n1 no longer has the attempt");
  EXPECT_EQ(node_events("n1"), std::vector<std::string>{"failure: it has lost job 1"});
}

TEST_F(WorkerWords, ALaunchIsUndoneWhenItsTimeIsOverAndTheLateNodeIsNamed) {
  node("n1", 2);
  node("n2", 2);
  const JobId id = submit({.nodes = 2, .tasks = 4});
  status("n1", status_of(id, NodePhase::Ready));
  status("n2", status_of(id, NodePhase::Preparing));
  const std::vector<std::string> both{"n1", "n2"};
  pass_with_beats(config.prepare_timeout - Milliseconds{1'000}, both);
  EXPECT_EQ(state(id), "CONFIGURING");
  pass_with_beats(Milliseconds{1'000}, both);
  EXPECT_EQ(state(id), "COMPLETING");
  EXPECT_EQ(attempt(id).stop.why, StopWhy::LaunchUndone);
  EXPECT_EQ(attempt(id).stop.detail, "not prepared in time: n2");
  EXPECT_EQ(job(id).job.avoid_nodes, std::vector<std::string>{"n2"});
  EXPECT_EQ(node_events("n2"), std::vector<std::string>{"failure: job 1 was not prepared in time"});
  EXPECT_TRUE(node_events("n1").empty());
}

TEST_F(WorkerWords, ALostSupervisorCountsAsAFailureOfItsNode) {
  node("n1", 2);
  const JobId id = submit({});
  ready(id);
  AttemptStatus lost = status_of(id, NodePhase::Gone);
  lost.supervisor_lost = true;
  status("n1", lost);
  EXPECT_EQ(database->tables.attempts.at({id, AttemptNumber{1}}).outcome,
            "supervisor lost on node n1");
  EXPECT_EQ(node_events("n1"), std::vector<std::string>{"failure: job 1 lost its supervisor"});
}

TEST_F(WorkerWords, ASupervisorThatEndedWithoutAFaultOfItsNodeCountsAsNoFailure) {
  node("n1", 2);
  const JobId id = submit({});
  ready(id);
  AttemptStatus lost = status_of(id, NodePhase::Gone);
  lost.supervisor_lost = true;
  lost.node_at_fault = false;
  status("n1", lost);
  EXPECT_EQ(database->tables.attempts.at({id, AttemptNumber{1}}).outcome,
            "supervisor lost on node n1");
  EXPECT_TRUE(node_events("n1").empty());
}

TEST_F(WorkerWords, ANodeThatIsLostWithItsJobsCountsOneFailure) {
  node("n1", 2);
  node("n2", 2);
  const auto on_n1 = [](JobSpec& s) { s.nodelist = {"n1"}, s.no_fence = true; };
  for (int i = 0; i < 2; ++i) ready(submit({.with = on_n1}));
  pass_with_beats(config.node_timeout + Milliseconds{1'000}, {"n2"});
  EXPECT_EQ(node_events("n1"),
            (std::vector<std::string>{"not responding: no contact for 16 s",
                                      "failure: it was lost while 2 jobs ran there"}));
}

}  // namespace
}  // namespace cox
