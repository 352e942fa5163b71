// Tests the life of a job in the controller: start, preemption with a checkpoint, resume elsewhere,
// end; and the effect of each fault.
#include <gtest/gtest.h>

#include "controller/state/node_health.h"
#include "tests/controller/bench.h"

namespace cox {
namespace {

class Story : public testing::Test, public Bench {};

TEST_F(Story, AGangStartsWhenAllNodesAreReadyAndNotBefore) {
  node("n1", 2);
  node("n2", 2);
  const JobId id = submit({.nodes = 2, .tasks = 4});
  EXPECT_EQ(state(id), "CONFIGURING");
  const auto prepares = take<Prepare>();
  ASSERT_EQ(prepares.size(), 2u);
  EXPECT_EQ(prepares[0].second.launch.environment, std::string("A=1\0", 4))
      << "read from the store";
  EXPECT_EQ(prepares[1].second.launch.nodes[1].grant.first_rank, 2);
  auto s = status_of(id, NodePhase::Ready);
  s.master_port = 4711;
  status("n1", s);
  EXPECT_EQ(state(id), "CONFIGURING");
  EXPECT_TRUE(take<Go>().empty()) << "one node is not ready";
  status("n2", status_of(id, NodePhase::Ready));
  EXPECT_EQ(state(id), "RUNNING");
  const auto gos = take<Go>();
  ASSERT_EQ(gos.size(), 2u);
  EXPECT_EQ(gos[1].second.order.master_address, "10.0.0.1");
  EXPECT_EQ(gos[1].second.order.master_port, 4711);
  finish(id, 0);
  EXPECT_EQ(state(id), "COMPLETED");
}

TEST_F(Story, AJobIsPreemptedWithACheckpointAndResumesElsewhere) {
  node("n1", 2, {"fast"});
  node("n2", 2, {"fast"});
  node("n3", 2);
  node("n4", 2);
  const JobId filler = submit({.nodes = 2, .tasks = 4, .constraint = "", .time_limit_s = 0});
  ready(filler);
  const JobId training = submit({.nodes = 2, .tasks = 4});
  ready(training);
  EXPECT_EQ(nodes(filler), "n3n4") << "nodes with features nobody asked for come last";
  EXPECT_EQ(nodes(training), "n1n2");
  take<Stop>();

  const JobId urgent = submit({.nodes = 2, .tasks = 4, .qos = "critical", .constraint = "fast"});
  EXPECT_EQ(state(training), "SIGNALING");
  const auto stops = take<Stop>();
  ASSERT_EQ(stops.size(), 2u);
  EXPECT_EQ(stops[0].second.order.why, StopWhy::Preempt);
  EXPECT_TRUE(stops[0].second.order.ask_checkpoint);
  EXPECT_EQ(state(urgent), "PENDING") << "the room is not free yet";

  finish(training, exit_code_saved, true, 40);
  EXPECT_EQ(job(training).newest_checkpoint()->step, 40);
  EXPECT_EQ(state(training), "PENDING");
  EXPECT_EQ(state(urgent), "CONFIGURING");
  EXPECT_EQ(nodes(urgent), "n1n2");
  ready(urgent);

  take<Prepare>();
  finish(filler, 0);
  EXPECT_EQ(state(training), "CONFIGURING");
  EXPECT_EQ(nodes(training), "n3n4");
  const auto prepares = take<Prepare>();
  ASSERT_EQ(prepares.size(), 2u);
  EXPECT_EQ(prepares[0].second.launch.resume, (ResumeFrom{AttemptNumber{1}, 40}));
  EXPECT_EQ(prepares[0].second.launch.resume_ranks,
            static_cast<std::int32_t>(prepares[0].second.launch.spec.tasks));
  EXPECT_EQ(prepares[0].second.launch.restarts, 1);
  ready(training);
  finish(training, 0);
  EXPECT_EQ(state(training), "COMPLETED");
  EXPECT_EQ(job(training).job.restarts, 1);
}

// Without this rule, a critical job could wait an hour for a standard job whose preemption budget
// is spent.
TEST_F(Story, ACriticalJobNeverWaitsForThePreemptionBudgetOfAVictim) {
  config.scheduling.preempt_budget = 1;
  restart();
  node("n1", 2);
  const JobId training = submit({.tasks = 2});
  ready(training);
  const JobId first = submit({.tasks = 2, .qos = "critical"});
  EXPECT_EQ(state(training), "SIGNALING");
  finish(training, exit_code_saved, true, 40);
  ready(first);
  finish(first, 0);
  ready(training);
  ASSERT_EQ(state(training), "RUNNING");
  node("n2", 2);
  const JobId fresh = submit({.tasks = 2});
  ready(fresh);
  ASSERT_EQ(nodes(fresh), "n2");
  pass_with_beats(Milliseconds{100'000}, {"n1", "n2"});
  auto saved = status_of(training, NodePhase::Running);
  for (std::int32_t rank = 0; rank < 2; ++rank)
    saved.ranks.push_back({rank, RankPhase::Running, 0, 0, {{50, 10, 1, false}}, now.wall, {}});
  status("n1", saved);
  submit({.tasks = 2, .qos = "critical"});
  EXPECT_EQ(state(training), "RUNNING") << "it was preempted a moment ago";
  EXPECT_EQ(state(fresh), "SIGNALING") << "it loses more, but less than 16 times as much";
  submit({.tasks = 2, .qos = "critical"});
  EXPECT_EQ(state(training), "SIGNALING");
}

// The order to stop that a job gets when it is preempted by a critical job, and the state of the
// job afterwards.
struct Stopped {
  StopOrder order;
  std::string state;
};
Stopped preempted_as(Story& story, PreemptMode mode, std::int64_t grace_ms) {
  story.database->tables.qos.push_back({"tier", 0, mode, grace_ms, {}, {}});
  story.restart();
  story.node("n1", 2);
  const JobId job = story.submit({.tasks = 2, .qos = "tier"});
  story.ready(job);
  story.take<Stop>();
  story.submit({.tasks = 2, .qos = "critical"});
  const auto stops = story.take<Stop>();
  if (stops.empty()) return {{}, story.state(job)};
  story.finish(job, 143);
  return {stops[0].second.order, story.state(job)};
}

TEST_F(Story, AQosThatRequeuesDoesNotAskJobsToSave) {
  const Stopped stopped = preempted_as(*this, PreemptMode::Requeue, 7'000);
  EXPECT_EQ(stopped.order.why, StopWhy::Preempt);
  EXPECT_FALSE(stopped.order.ask_checkpoint);
  EXPECT_EQ(stopped.order.grace_ms, 0) << "SIGTERM comes at once";
  EXPECT_EQ(stopped.order.kill_wait_ms, 7'000);
  EXPECT_EQ(stopped.state, "PENDING");
}

TEST_F(Story, AQosWithoutAGraceDoesNotAskJobsToSave) {
  const Stopped stopped = preempted_as(*this, PreemptMode::Checkpoint, 0);
  EXPECT_FALSE(stopped.order.ask_checkpoint);
  EXPECT_EQ(stopped.order.kill_wait_ms, config.kill_wait.count());
  EXPECT_EQ(stopped.state, "PENDING");
}

TEST_F(Story, AQosThatCancelsEndsJobsAsPreempted) {
  const Stopped stopped = preempted_as(*this, PreemptMode::Cancel, 7'000);
  EXPECT_FALSE(stopped.order.ask_checkpoint);
  EXPECT_EQ(stopped.order.kill_wait_ms, 7'000);
  EXPECT_EQ(stopped.state, "PREEMPTED");
}

TEST_F(Story, AQosWithPreemptModeOffIsNeverPreempted) {
  const Stopped stopped = preempted_as(*this, PreemptMode::Off, 7'000);
  EXPECT_EQ(stopped.order.why, StopWhy::None);
  EXPECT_EQ(stopped.state, "RUNNING");
}

TEST_F(Story, AJobWithinItsExemptTimeIsNotPreempted) {
  config.scheduling.preempt_exempt_time = Milliseconds{60'000};
  restart();
  node("n1", 2);
  const JobId training = submit({.tasks = 2});
  ready(training);
  submit({.tasks = 2, .qos = "critical"});
  pass_with_beats(Milliseconds{55'000}, {"n1"});
  EXPECT_EQ(state(training), "RUNNING");
  pass_with_beats(Milliseconds{36'000}, {"n1"});
  EXPECT_EQ(state(training), "SIGNALING");
}

TEST_F(Story, ACheckpointIsNotCommittedBeforeAllRanksHaveSaved) {
  node("n1", 2);
  node("n2", 2);
  const JobId id = submit({.nodes = 2, .tasks = 2});
  ready(id);
  auto s = status_of(id, NodePhase::Running);
  s.ranks = {{0, RankPhase::Running, 0, 0, {{10, 5, 1, false}}, now.wall, {}}};
  status("n1", s);
  EXPECT_EQ(job(id).newest_checkpoint(), nullptr) << "rank 1 has not reported step 10";
  s.ranks = {{1, RankPhase::Running, 0, 0, {{9, 5, 1, false}, {10, 5, 1, false}}, now.wall, {}}};
  status("n2", s);
  ASSERT_NE(job(id).newest_checkpoint(), nullptr);
  EXPECT_EQ(job(id).newest_checkpoint()->step, 10);
  EXPECT_EQ(job(id).newest_checkpoint()->bytes, 10);
}

TEST_F(Story, ARefusalByOneNodeUndoesTheLaunchOfAGangAndTheNodeIsAvoided) {
  node("n1", 2);
  node("n2", 2);
  node("n3", 2);
  const JobId id = submit({.nodes = 2, .tasks = 2});
  ASSERT_EQ(nodes(id), "n1n2");
  take<Stop>();
  auto refusal = status_of(id, NodePhase::Gone);
  refusal.refused = "disk full";
  status("n2", refusal);
  EXPECT_EQ(state(id), "COMPLETING") << "n1 has not undone it yet";
  EXPECT_EQ(take<Stop>().size(), 1u);
  status("n1", status_of(id, NodePhase::Gone));
  EXPECT_EQ(state(id), "CONFIGURING") << "tried again at once";
  EXPECT_EQ(nodes(id), "n1n3");
  ready(id);
  EXPECT_EQ(state(id), "RUNNING");
}

TEST_F(Story, ANodeThatIsNotReadyInTimeUndoesTheLaunchOfAGang) {
  node("n1", 2);
  node("n2", 2);
  const JobId id = submit({.nodes = 2, .tasks = 2});
  status("n1", status_of(id, NodePhase::Ready));
  pass_with_beats(config.prepare_timeout + Milliseconds{1000}, {"n1"});
  EXPECT_NE(job(id).attempts->at(0).stop.why, StopWhy::None);
  EXPECT_EQ(job(id).attempts->at(0).went, Wall{}) << "no user code ran";
}

TEST_F(Story, ASilentNodeGetsNoWorkAndItsJobsRestartOnlyWhenItsLeaseHasPassed) {
  node("n1", 2);
  node("n2", 2);
  const JobId id = submit({.nodes = 1, .tasks = 2});
  ready(id);
  ASSERT_EQ(nodes(id), "n1");
  pass_with_beats(config.node_timeout + Milliseconds{2000}, {"n2"});
  EXPECT_FALSE(controller->cluster().node("n1")->responding);
  EXPECT_EQ(state(id), "RUNNING") << "its supervisor may still run it";
  const auto lost = lost_after(config);
  pass_with_beats(lost - config.node_timeout - Milliseconds{5000}, {"n2"});
  EXPECT_EQ(state(id), "RUNNING");
  pass_with_beats(Milliseconds{6000}, {"n2"});
  EXPECT_EQ(job(id).job.attempt.value, 2);
  EXPECT_EQ(nodes(id), "n2");
}

TEST_F(Story, AHelloWithoutTheAttemptStartsTheJobAgainAtOnce) {
  node("n1", 2);
  const JobId id = submit({.nodes = 1, .tasks = 2});
  ready(id);
  node("n1", 2);  // n1's worker has restarted, and its hello lists no attempt
  EXPECT_EQ(job(id).job.attempt.value, 2);
  EXPECT_EQ(state(id), "CONFIGURING");
}

TEST_F(Story, AStaleHelloIsIgnored) {
  node("n1", 2);
  const JobId id = submit({.nodes = 1, .tasks = 2});
  WorkerHello old;
  old.node.name = "n1";
  old.node.total.cpus = 2;
  old.session = session["n1"];
  old.number = numbers["n1"];  // the hello was sent before the attempt reached n1
  ready(id);
  deliver("n1", old);
  EXPECT_EQ(job(id).job.attempt.value, 1);
  EXPECT_EQ(state(id), "RUNNING");
}

TEST_F(Story, AReportOfAnEarlierAttemptIsAnsweredAndDropped) {
  node("n1", 2);
  const JobId id = submit({.nodes = 1, .tasks = 2});
  ready(id);
  const AttemptStatus old = status_of(id, NodePhase::Running);
  node("n1", 2);
  ASSERT_EQ(job(id).job.attempt.value, 2);
  take<Stop>();
  status("n1", old);
  const auto stops = take<Stop>();
  ASSERT_EQ(stops.size(), 1u);
  EXPECT_EQ(stops[0].second.key.attempt.value, 1);
  auto gone = old;
  gone.phase = NodePhase::Gone;
  status("n1", gone);
  EXPECT_EQ(take<StatusAck>().back().second.key.attempt.value, 1);
  EXPECT_EQ(job(id).job.attempt.value, 2);
}

TEST_F(Story, OneFailingRankEndsTheGangAndGivesItsExitCode) {
  node("n1", 2);
  node("n2", 2);
  const JobId id = submit({.nodes = 2, .tasks = 2});
  ready(id);
  take<Stop>();
  auto s = status_of(id, NodePhase::Running);
  s.ranks = {{1, RankPhase::Exited, 3, 0, {}, now.wall, now.wall}};
  status("n2", s);
  EXPECT_EQ(state(id), "COMPLETING");
  EXPECT_EQ(take<Stop>().size(), 2u);
  finish(id, 143);
  EXPECT_EQ(state(id), "FAILED");
  EXPECT_EQ(job(id).job.exit_code, 3);
}

TEST_F(Story, AJobSignalledBeforeItsTimeLimitMayRequeueItself) {
  node("n1", 2);
  const JobId id = submit({.time_limit_s = 120, .with = [](JobSpec& s) {
                             s.signal.number = 10;
                             s.signal.seconds_before = 60;
                           }});
  ready(id);
  pass_with_beats(Milliseconds{70'000}, {"n1"});
  ASSERT_EQ(state(id), "SIGNALING");
  take<Stop>();
  ask(ActOnJobs{JobVerb::Requeue, {id}});
  EXPECT_EQ(take<Stop>().front().second.order.why, StopWhy::Requeue);
  status("n1", status_of(id, NodePhase::Gone));
  EXPECT_EQ(state(id), "CONFIGURING") << "it runs again at once";
  EXPECT_EQ(job(id).attempts.size(), 2u);
}

TEST_F(Story, AJobAtItsTimeLimitEndsAsTimeout) {
  node("n1", 2);
  const JobId id = submit({.time_limit_s = 60});
  ready(id);
  pass_with_beats(Milliseconds{59'000}, {"n1"});
  EXPECT_EQ(state(id), "RUNNING");
  take<Stop>();
  pass_with_beats(Milliseconds{2'000}, {"n1"});
  EXPECT_EQ(state(id), "COMPLETING");
  EXPECT_EQ(take<Stop>().front().second.order.why, StopWhy::TimeLimit);
  finish(id, 143);
  EXPECT_EQ(state(id), "TIMEOUT");
}

TEST_F(Story, ARestartedControllerContinuesALaunch) {
  node("n1", 2);
  const JobId id = submit({.nodes = 1, .tasks = 2});
  restart();
  EXPECT_EQ(state(id), "CONFIGURING");
  const auto term = controller->cluster().term();
  EXPECT_EQ(term.value, 2);
  take<Prepare>();
  node("n1", 2);
  ASSERT_EQ(take<Prepare>().size(), 1u) << "it is prepared again: the node does not have it";
  EXPECT_EQ(job(id).job.attempt.value, 1);
  ready(id);
  EXPECT_EQ(state(id), "RUNNING");
}

TEST_F(Story, ARetriedSubmissionReturnsTheSameJob) {
  node("n1", 2);
  const JobId first = submit({}, "the-request");
  EXPECT_EQ(submit({}, "the-request"), first);
  restart();
  EXPECT_EQ(submit({}, "the-request"), first);
  EXPECT_EQ(store.tables().jobs.size(), 1u);
}

TEST_F(Story, ManyJobsInOneRequestAreAllAcceptedOrNone) {
  node("n1", 2);
  SubmitJobs many;
  many.request_id = "sweep";
  many.specs.resize(3);
  for (JobSpec& spec : many.specs) {
    spec.command = {"train"};
    spec.work_dir = "/home/u";
  }
  const auto accepted = std::get<SubmittedJobs>(ask(many).body);
  EXPECT_EQ(accepted.count, 3);
  EXPECT_FALSE(accepted.again);
  restart();
  const auto retried = std::get<SubmittedJobs>(ask(many).body);
  EXPECT_EQ(retried.first, accepted.first);
  EXPECT_TRUE(retried.again);
  EXPECT_EQ(store.tables().jobs.size(), 3u);
  many.request_id = "another";
  many.specs[1].nodes = 400;
  EXPECT_EQ(refusal_of(ask(many)).substr(0, 12), "job 2 of 3: ");
  EXPECT_EQ(store.tables().jobs.size(), 3u);
}

TEST_F(Story, EachJobOfARequestHasItsOwnSpecificationAndEqualOnesShareOne) {
  node("n1", 2);
  SubmitJobs many;
  for (const char* const name : {"a", "b", "b", "a"}) {
    JobSpec& spec = many.specs.emplace_back();
    spec.name = name;
    spec.command = {"train"};
    spec.work_dir = "/home/u";
  }
  const JobId first = std::get<SubmittedJobs>(ask(many).body).first;
  const auto spec_of = [&](std::int64_t i) { return job(JobId{first.value + i}).job.spec; };
  std::string names;
  for (std::int64_t i = 0; i < 4; ++i) names += spec_of(i)->name;
  EXPECT_EQ(names, "abba");
  EXPECT_TRUE(spec_of(1).is(spec_of(2)));
  EXPECT_TRUE(spec_of(0).is(spec_of(3)));
}

TEST_F(Story, AJobCancelledWhileItIsPreemptedIsNotRequeued) {
  node("n1", 2);
  node("n2", 2, {"fast"});
  const JobId id = submit({.nodes = 1, .tasks = 2});
  ready(id);
  ask(ActOnJobs{JobVerb::Preempt, {id}});
  EXPECT_EQ(state(id), "SIGNALING");
  ask(ActOnJobs{JobVerb::Cancel, {id}});
  EXPECT_EQ(state(id), "COMPLETING");
  finish(id, exit_code_saved, true, 5);
  EXPECT_EQ(state(id), "CANCELLED");
}

TEST_F(Story, NoReplyIsSentBeforeTheSubmissionIsCommitted) {
  node("n1", 2);
  store.commit_delay_polls = 5;
  SubmitJob s;
  s.spec.command = {"train"};
  s.spec.work_dir = "/";
  controller->receive({"client", {Caller::Kind::Client, "", "ada", 1000, 1000}, Request{1, s}},
                      now);
  controller->run(now);
  EXPECT_TRUE(controller->take<Outgoing>().empty());
  EXPECT_TRUE(store.tables().jobs.empty());
  settle();
  EXPECT_FALSE(take<Reply>().empty());
}

TEST_F(Story, ALostCommitIsSentAgainAndHappensOnce) {
  node("n1", 2);
  store.next_commit = MemoryStore::Fate::Lost;
  const JobId lost = submit({});
  store.next_commit = MemoryStore::Fate::Ambiguous;
  const JobId ambiguous = submit({});
  EXPECT_EQ(store.tables().jobs.size(), 2u);
  EXPECT_EQ(ambiguous.value, lost.value + 1);
}

TEST_F(Story, HeartbeatsAreAnsweredWhileTheDatabaseIsAway) {
  node("n1", 2);
  store.commit_delay_polls = 1'000'000;
  controller->receive({"client",
                       {Caller::Kind::Client, "", "ada", 1000, 1000},
                       Request{1, ActOnNodes{true, {"n1"}, "why"}}},
                      now);
  controller->run(now);
  take<HeartbeatAck>();
  beat("n1");
  EXPECT_EQ(take<HeartbeatAck>().size(), 1u);
}

TEST_F(Story, AJobSkipsADamagedCheckpointAndResumesFromTheOneBefore) {
  node("n1", 2);
  const JobId id = submit({.nodes = 1, .tasks = 1});
  ready(id);
  auto s = status_of(id, NodePhase::Running);
  s.ranks = {{0, RankPhase::Running, 0, 0, {{10, 5, 1, false}}, now.wall, {}}};
  status("n1", s);
  s.ranks[0].saved.push_back({20, 5, 1, false});
  status("n1", s);
  pass_with_beats(Milliseconds{5'000}, {"n1"});
  ask(ActOnJobs{JobVerb::Requeue, {id}});
  finish(id, 75);
  ASSERT_TRUE(attempt(id).resume);
  ASSERT_EQ(attempt(id).resume->step, 20);
  auto damaged = status_of(id, NodePhase::Gone);
  damaged.refused = "step 20 rank 0: hash differs";
  damaged.node_at_fault = false;
  damaged.resume_fault = ResumeFault::Differs;
  status("n1", damaged);
  ASSERT_EQ(job(id).job.attempt.value, 3);
  EXPECT_EQ(attempt(id).resume->step, 10);
}

TEST_F(Story, AJobOfAPartitionThatIsNoLongerConfiguredStartsNowhere) {
  config.partitions.push_back({"debug", {"n9"}, false, 0, 0, 0});
  restart();
  SubmitJob s;
  s.request_id = "debug";
  s.spec.command = {"train"};
  s.spec.work_dir = "/home/u";
  s.spec.partition = "debug";
  const Reply reply = ask(s);
  ASSERT_TRUE(std::holds_alternative<Submitted>(reply.body)) << refusal_of(reply);
  const JobId id = std::get<Submitted>(reply.body).id;
  config.partitions.pop_back();
  restart();
  node("n1", 4);
  pass(Milliseconds{1000});
  EXPECT_EQ(state(id), "PENDING");
  const auto detail = std::get<JobDetail>(ask(ShowJob{id}).body);
  EXPECT_EQ(detail.view.reason, WaitReason::ReqNodeNotAvail);
  EXPECT_EQ(detail.view.reason_detail, "partition debug is no longer configured");
}

TEST_F(Story, AJobGetsAPrintableNameFromItsCommand) {
  node("n1", 4);
  SubmitJob s;
  s.request_id = "long";
  s.spec.work_dir = "/home/u";
  s.spec.command = {std::string(1022, 'a') + "\n\xe2\x82\xac"};
  const Reply reply = ask(s);
  ASSERT_TRUE(std::holds_alternative<Submitted>(reply.body)) << refusal_of(reply);
  const JobId id = std::get<Submitted>(reply.body).id;
  EXPECT_EQ(job(id).job.spec->name, std::string(1022, 'a') + "?");
}

}  // namespace
}  // namespace cox
