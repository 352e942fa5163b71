// Tests which commands of the controller a worker passes to its launcher (the part that starts
// supervisors), and what it reports about them.
#include "tests/worker/worker_story.h"

namespace cox {
namespace {

// Returns one command of each kind to this attempt, as a leader with this term sends it.
std::vector<Message> commands(Term term, AttemptKey key) {
  GoOrder go;
  go.master_address = "n1";
  StopOrder stop;
  stop.detail = "cancelled";
  StepLaunch step;
  step.number = 4;
  return {Go{term, key, go},           Stop{term, key, stop},  Suspend{term, key, {6, true}},
          LaunchStep{term, key, step}, StopStep{term, key, 5}, SignalAttempt{term, key, 10}};
}

HeartbeatAck ack_of(std::int64_t number) {
  HeartbeatAck ack;
  ack.term = Term{2};
  ack.session = "a";
  ack.number = number;
  ack.lease_ms = 60'000;
  return ack;
}

class WorkerCommands : public WorkerTest {
 protected:
  WorkerCommands() { welcome(Term{2}); }
  // Lets enough time pass for a heartbeat, and returns it.
  Heartbeat beat() {
    for (const Message& said : tick_after(2'000))
      if (const auto* beat = std::get_if<Heartbeat>(&said)) return *beat;
    ADD_FAILURE() << "no heartbeat";
    return {};
  }
};

TEST_F(WorkerCommands, ArePassedToTheSupervisorOfTheAttempt) {
  prepare(Term{2});
  for (const Message& command : commands(Term{2}, an_attempt)) hear(command);
  hear(RemoveCheckpoint{Term{2}, an_attempt, 3, "/ckpt"});
  EXPECT_EQ(launcher_.take_calls(),
            (Calls{"prepare, 7.1", "go to n1, 7.1", "stop cancelled, 7.1", "suspend 6, 7.1",
                   "launch step 4, 7.1", "stop step 5, 7.1", "signal 10, 7.1",
                   "remove /ckpt step 3, 7.1"}));
}

TEST_F(WorkerCommands, CommandsOfAnOlderTermAreRefusedAndLogged) {
  prepare(Term{2});
  launcher_.take_calls();
  worker_.take_remarks();
  for (const Message& command : commands(Term{1}, an_attempt)) hear(command);
  hear(RemoveCheckpoint{Term{1}, an_attempt, 3, "/ckpt"});
  prepare(Term{1}, {JobId{8}, AttemptNumber{1}});
  EXPECT_EQ(launcher_.take_calls(), Calls{});
  EXPECT_EQ(worker_.take_remarks(), Calls(8, "refused a command of an older term=1 obeyed=2"));
}

TEST_F(WorkerCommands, CommandsForAnUnknownAttemptAreIgnored) {
  for (const Message& command : commands(Term{2}, an_attempt)) EXPECT_TRUE(hear(command).empty());
  EXPECT_EQ(launcher_.take_calls(), Calls{});
  EXPECT_TRUE(beat().attempts.empty());
}

// Only a Go is passed on to the launcher, which finds no supervisor for it.
TEST_F(WorkerCommands, AnAttemptThatCannotBePreparedIsReportedAndItsCommandsAreNotPassedOn) {
  launcher_.refusal = "disk full";
  launcher_.unfit_why = "no space";
  worker_.take_remarks();
  const std::vector<Message> said = prepare(Term{2});
  ASSERT_EQ(said.size(), 2U);
  EXPECT_EQ(std::get<Heartbeat>(said[0]).unfit, "no space");
  const AttemptStatus& status = std::get<StatusReport>(said[1]).status;
  EXPECT_EQ(status.refused, "disk full");
  EXPECT_EQ(status.phase, NodePhase::Gone);
  EXPECT_EQ(status.revision, 1);
  EXPECT_EQ(worker_.take_remarks(), (Calls{"job=7 attempt=1 cannot be prepared why=\"disk full\"",
                                           "cannot launch why=\"no space\""}));
  for (const Message& command : commands(Term{2}, an_attempt)) hear(command);
  hear(StatusAck{an_attempt, 1, Term{2}});
  EXPECT_EQ(launcher_.take_calls(), (Calls{"prepare, 7.1", "go to n1, 7.1"}))
      << "there is no folder to remove";
  EXPECT_TRUE(beat().attempts.empty());
}

TEST_F(WorkerCommands, ARepeatedPrepareIsAnsweredWithTheStatus) {
  launch(Term{2}, 2, NodePhase::Running);
  launcher_.take_calls();
  EXPECT_EQ(only<StatusReport>(prepare(Term{2})).status.revision, 2);
  EXPECT_EQ(launcher_.take_calls(), Calls{});
}

TEST_F(WorkerCommands, APrepareOfAnEndedAttemptIsIgnored) {
  prepare(Term{2}, {JobId{7}, AttemptNumber{1}});
  said_by_supervisor(status_of(3, NodePhase::Gone));
  hear(StatusAck{an_attempt, 3, Term{2}});
  launcher_.take_calls();
  EXPECT_TRUE(prepare(Term{2}).empty());
  EXPECT_EQ(launcher_.take_calls(), Calls{});
  prepare(Term{2}, {JobId{7}, AttemptNumber{2}});
  prepare(Term{2}, {JobId{6}, AttemptNumber{1}});
  EXPECT_EQ(launcher_.take_calls(), (Calls{"prepare, 7.2", "prepare, 6.1"}));
  EXPECT_EQ(terms_.newest, JobId{7}) << "job 6 is older";
}

TEST_F(WorkerCommands, AnEndedAttemptIsNotPreparedAgainThoughAnEarlierOneEndedLater) {
  const AttemptKey second{JobId{7}, AttemptNumber{2}};
  for (const AttemptKey key : {second, an_attempt}) {
    prepare(Term{2}, key);
    AttemptStatus gone = status_of(3, NodePhase::Gone);
    gone.key = key;
    said_by_supervisor(gone);
  }
  hear(StatusAck{second, 3, Term{2}});
  hear(StatusAck{an_attempt, 3, Term{2}});
  launcher_.take_calls();
  prepare(Term{2}, second);
  EXPECT_EQ(launcher_.take_calls(), Calls{});
}

// An attempt on one node starts without a Go only if the controller had the worker's newest list of
// attempts when it sent the Prepare. See starts_without_go().
TEST_F(WorkerCommands, AnAttemptOnOneNodeStartsByItselfIfTheNewestListWasReceived) {
  const Boot listed = now_.boot + Milliseconds{2'000};
  const std::int64_t number = beat().number;
  const auto prepared = [&](std::size_t nodes, const std::string& session, std::int64_t received) {
    static std::int64_t job = 100;
    Prepare order{Term{2}, {}, session, received};
    order.launch.key = {JobId{++job}, AttemptNumber{1}};
    order.launch.nodes.resize(nodes);
    order.launch.go_when_ready = true;  // ignored: the worker decides this itself
    order.launch.lease_from = boot_from_ms(1);
    hear(order);
    return launcher_.prepared;
  };
  EXPECT_TRUE(prepared(1, "a", number).go_when_ready);
  EXPECT_EQ(launcher_.prepared.lease_from, listed);
  EXPECT_TRUE(prepared(1, "a", number + 1).go_when_ready);
  EXPECT_FALSE(prepared(1, "a", number - 1).go_when_ready) << "the worker has sent a newer list";
  EXPECT_EQ(launcher_.prepared.lease_from, listed - Milliseconds{2'000}) << "it had the one before";
  EXPECT_FALSE(prepared(1, "a", number - 100).go_when_ready);
  EXPECT_EQ(launcher_.prepared.lease_from, Boot{}) << "the list it had is forgotten";
  EXPECT_FALSE(prepared(2, "a", number).go_when_ready);
  EXPECT_EQ(launcher_.prepared.lease_from, listed) << "it shows how old the contact is";
  EXPECT_FALSE(prepared(1, "b", number).go_when_ready) << "a list of another session";
}

TEST_F(WorkerCommands, NoAttemptStartsByItselfBeforeTheFirstList) {
  Worker fresh(Node{}, "a", true, launcher_, terms_);
  Prepare order{Term{2}, {}, "a", 99};
  order.launch.key = an_attempt;
  order.launch.nodes.resize(1);
  fresh.receive(order, now_);
  EXPECT_FALSE(launcher_.prepared.go_when_ready);
}

TEST_F(WorkerCommands, AnAcknowledgedEndOfAStepIsPassedToTheSupervisor) {
  AttemptStatus status = status_of(4, NodePhase::Running);
  prepare(Term{2});
  status.steps.resize(2);
  said_by_supervisor(status);
  launcher_.take_calls();
  hear(StatusAck{an_attempt, 4, Term{2}});
  EXPECT_EQ(launcher_.take_calls(), Calls{}) << "both steps are running";
  status.revision = 5;
  status.steps[1].phase = StepPhase::Gone;
  said_by_supervisor(status);
  hear(StatusAck{an_attempt, 5, Term{2}});
  EXPECT_EQ(launcher_.take_calls(), Calls{"acknowledge 5, 7.1"});
}

TEST_F(WorkerCommands, AHeartbeatReplyThatAsksForAHelloGetsOne) {
  prepare(Term{2});
  HeartbeatAck wants = ack_of(beat().number);
  wants.hello_wanted = true;
  EXPECT_EQ(only<WorkerHello>(hear(wants)).attempts.size(), 1U);
  EXPECT_FALSE(worker_.welcomed());
  EXPECT_EQ(launcher_.leases.size(), 0U);
  wants.session = "b";
  EXPECT_TRUE(hear(wants).empty()) << "of another session";
}

// A controller whose database is another one, or an older copy, begins at a lower term. It learns
// from the hello that the node has run jobs, and does not take its silence for a new cluster.
TEST_F(WorkerCommands, ALeaderOfAnOlderTermThatAsksForAHelloGetsOneAndIsNotObeyed) {
  prepare(Term{2});
  HeartbeatAck wants = ack_of(beat().number);
  wants.hello_wanted = true;
  wants.term = Term{1};
  const auto hello = only<WorkerHello>(hear(wants));
  EXPECT_EQ(hello.term_seen, Term{2});
  EXPECT_EQ(hello.newest_job, an_attempt.job);
  EXPECT_TRUE(worker_.welcomed());
  EXPECT_EQ(launcher_.leases.size(), 0U);
  const Calls warnings = worker_.take_warnings();
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_NE(warnings[0].find("term=1 obeyed=2"), std::string::npos);
  EXPECT_NE(warnings[0].find("check `database` in [controller]"), std::string::npos);
  only<WorkerHello>(hear(wants));
  EXPECT_EQ(worker_.take_warnings(), Calls{}) << "it is logged once";
}

TEST_F(WorkerCommands, OnlyLeasesOfRunningAttemptsAreRenewed) {
  prepare(Term{2});
  const auto renewed_by = [&](const HeartbeatAck& ack) {
    launcher_.take_calls();
    hear(ack);
    return launcher_.take_calls();
  };
  EXPECT_EQ(renewed_by(ack_of(beat().number)), Calls{"renew, 7.1"});
  HeartbeatAck endless = ack_of(beat().number);
  endless.lease_ms = 0;
  EXPECT_EQ(renewed_by(endless), Calls{}) << "leases that never end are not renewed";
  EXPECT_EQ(renewed_by(ack_of(12'345)), Calls{}) << "a reply to a heartbeat that was never sent";
  HeartbeatAck of_another = ack_of(beat().number);
  of_another.session = "b";
  EXPECT_EQ(renewed_by(of_another), Calls{});
  said_by_supervisor(status_of(3, NodePhase::Gone));
  EXPECT_EQ(renewed_by(ack_of(beat().number)), Calls{}) << "the attempt is gone";
}

TEST_F(WorkerCommands, AHeartbeatConfirmsTheFormerOneIfItWasAnswered) {
  EXPECT_EQ(beat().confirmed, 0);
  const Heartbeat second = beat();
  EXPECT_EQ(second.confirmed, 0);
  hear(ack_of(second.number));
  EXPECT_EQ(beat().confirmed, second.number);
  hear(ack_of(second.number));
  EXPECT_EQ(beat().confirmed, 0) << "the newest heartbeat was not answered";
}

}  // namespace
}  // namespace cox
