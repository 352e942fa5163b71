// Tests signals to steps of srun, and orders to end them, in the controller.
#include <signal.h>

#include "tests/controller/attempt/steps_story.h"

namespace cox {
namespace {

TEST_F(StepsStory, AStepIsCancelledAndSignalledWithoutItsJob) {
  const JobId id = batch_on_two();
  created(srun(id, 2, "a"));
  created(srun(id, 4, "b"));
  SignalJobs act;
  act.ids = {id};
  act.step = 1;
  auto acted = std::get<Acted>(ask(act).body);
  EXPECT_EQ(acted.outcomes.at(0).done, "cancelled") << "it had not begun";
  EXPECT_EQ(step_state(id, 1), "CANCELLED");
  act.step = 0;
  acted = std::get<Acted>(ask(act).body);
  EXPECT_EQ(acted.outcomes.at(0).done, "being cancelled");
  EXPECT_EQ(take<StopStep>().size(), 1u);
  act.signal = 10;
  ask(act);
  EXPECT_EQ(take<SignalAttempt>().at(0).second.step, 0);
  StepStatus ended = at(0, StepPhase::Gone);
  ended.exit_signal = 15;
  reports(id, "n1", {ended});
  EXPECT_EQ(step_state(id, 0), "CANCELLED");
  acted = std::get<Acted>(ask(act).body);
  EXPECT_EQ(acted.outcomes.at(0).refused->fact, "step 1.0 has ended");
}

TEST_F(StepsStory, AStepThatGetsSigkillIsCancelledAndDiesBeforeItsSigterm) {
  const JobId id = batch_on_two();
  created(srun(id, 2, "a"));
  sent.clear();
  SignalJobs act;
  act.ids = {id};
  act.step = 0;
  act.signal = SIGKILL;
  EXPECT_EQ(std::get<Acted>(ask(act).body).outcomes.at(0).done, "being cancelled");
  std::vector<std::int32_t> signals;  // 0: the order to stop
  for (const Outgoing& o : sent) {
    if (const auto* one = std::get_if<SignalAttempt>(&o.message); one && o.peer == "worker-n1")
      signals.push_back(one->signal);
    if (std::holds_alternative<StopStep>(o.message)) signals.push_back(0);
  }
  EXPECT_EQ(signals, (std::vector<std::int32_t>{SIGKILL, 0}));
  StepStatus ended = at(0, StepPhase::Gone);
  ended.exit_signal = SIGKILL;
  reports(id, "n1", {ended});
  EXPECT_EQ(step_state(id, 0), "CANCELLED");
  EXPECT_EQ(std::get<Acted>(ask(act).body).outcomes.at(0).done, "had already ended: CANCELLED");
}

TEST_F(StepsStory, SigkillCancelsAStepThatWaitsToBegin) {
  const JobId id = batch_on_two();
  created(srun(id, 2, "a"));
  created(srun(id, 4, "b"));
  ASSERT_EQ(step_state(id, 1), "PENDING");
  SignalJobs act;
  act.ids = {id};
  act.step = 1;
  act.signal = SIGKILL;
  ask(act);
  EXPECT_EQ(step_state(id, 1), "CANCELLED");
  EXPECT_EQ(step_state(id, 0), "RUNNING");
}

TEST_F(StepsStory, AScriptIsStoppedWhenItsStepsHaveEndedOnAllNodesAfterTheRequestToStop) {
  const JobId id = batch_on_two();
  created(srun(id, 4, "a"));
  ask(ActOnJobs{JobVerb::Preempt, {id}});
  ASSERT_EQ(state(id), "SIGNALING");
  sent.clear();
  reports(id, "n1", {at(0, StepPhase::Gone)});
  EXPECT_EQ(state(id), "SIGNALING") << "the tasks on n2 may still save";
  EXPECT_TRUE(take<Stop>().empty());
  reports(id, "n2", {at(0, StepPhase::Gone)});
  const auto stops = take<Stop>();
  ASSERT_EQ(stops.size(), 1u) << "only the script's node";
  EXPECT_FALSE(stops.front().second.order.ask_checkpoint);
  EXPECT_EQ(stops.front().second.order.why, StopWhy::Preempt);
  EXPECT_TRUE(attempt(id).stop.ask_checkpoint) << "it counts as asked to save";
}

TEST_F(StepsStory, AScriptThatAskedForTheSignalItselfRunsOnAfterItsSteps) {
  const JobId id = batch_on_two({10, 90, true});
  created(srun(id, 4, "a"));
  ask(ActOnJobs{JobVerb::Preempt, {id}});
  ASSERT_EQ(state(id), "SIGNALING");
  for (const char* node : {"n1", "n2"}) reports(id, node, {at(0, StepPhase::Gone)});
  EXPECT_EQ(state(id), "SIGNALING");
}

TEST_F(StepsStory, AScriptWhoseStepEndedBeforeTheRequestToStopRunsOn) {
  const JobId id = batch_on_two();
  created(srun(id, 4, "a"));
  for (const char* node : {"n1", "n2"}) reports(id, node, {at(0, StepPhase::Gone)});
  now.wall += Milliseconds{1'000};
  ask(ActOnJobs{JobVerb::Preempt, {id}});
  ASSERT_EQ(state(id), "SIGNALING");
  for (const char* node : {"n1", "n2"}) reports(id, node, {});
  EXPECT_EQ(state(id), "SIGNALING");
}

// Exit code 0 after a request to stop is no success, for a step as for a job.
TEST_F(StepsStory, AStepThatExitsWith0AfterARequestToStopIsNotCompleted) {
  const JobId id = batch_on_two();
  created(srun(id, 1, "a"));
  StepStatus ended = at(0, StepPhase::Gone);
  ended.asked_to_stop = true;
  SignalJobs act;
  act.ids = {id};
  act.step = 0;
  ask(act);
  reports(id, "n1", {ended});
  EXPECT_EQ(step_state(id, 0), "CANCELLED");
  created(srun(id, 1, "b"));
  ended = at(1, StepPhase::Gone);
  ended.asked_to_stop = false;
  act.step = 1;
  ask(act);
  reports(id, "n1", {ended});
  EXPECT_EQ(step_state(id, 1), "COMPLETED") << "it had ended before the request reached its node";
}

TEST_F(StepsStory, ASignalForStepsIsRefusedWhileAJobThatJustStartedHasNone) {
  const JobId id = batch_on_two();
  SignalJobs act;
  act.ids = {id};
  act.signal = 10;
  const auto first = std::get<Acted>(ask(act).body);
  ASSERT_TRUE(first.outcomes.at(0).refused);
  EXPECT_EQ(first.outcomes[0].refused->fact, "Job is pending execution: job 1 has no step yet");
  act.to_batch = true;
  EXPECT_EQ(std::get<Acted>(ask(act).body).outcomes.at(0).done, "sent signal 10");
  act.to_batch = false;
  take<SignalAttempt>();
  created(srun(id, 2, "a"));
  EXPECT_EQ(std::get<Acted>(ask(act).body).outcomes.at(0).done, "sent signal 10");
  EXPECT_EQ(take<SignalAttempt>().size(), 2u);
}

TEST_F(StepsStory, ASignalForAllStepsOfAGangReachesItsRanks) {
  for (const char* name : {"n1", "n2"}) node(name, 2);
  const JobId gang = submit({.nodes = 2, .tasks = 2});
  ready(gang);
  take<SignalAttempt>();
  SignalJobs act;
  act.ids = {gang};
  act.signal = 10;
  EXPECT_EQ(std::get<Acted>(ask(act).body).outcomes.at(0).done, "sent signal 10");
  const auto sent = take<SignalAttempt>();
  ASSERT_EQ(sent.size(), 2u);
  for (const auto& [peer, order] : sent) EXPECT_TRUE(order.to_batch && order.to_steps);
}

TEST_F(StepsStory, ASignalForTheStepsOfABatchJobDoesNotReachItsScript) {
  const JobId id = batch_on_two();
  created(srun(id, 2, "a"));
  take<SignalAttempt>();
  SignalJobs act;
  act.ids = {id};
  act.signal = 10;
  ask(act);
  for (const auto& [peer, order] : take<SignalAttempt>()) EXPECT_FALSE(order.to_batch);
}

// A signal is not repeated, so nobody may be left to believe that it has arrived.
TEST_F(StepsStory, ASignalToANodeThatDoesNotRespondIsNotCalledSent) {
  const JobId id = batch_on_two();
  created(srun(id, 4, "a"));
  for (Milliseconds silent{0}; silent < config.node_timeout * 2; silent += Milliseconds{1'000}) {
    pass(Milliseconds{1'000});
    beat_as_is("n1");
  }
  ASSERT_FALSE(controller->cluster().node("n2")->responding);
  ASSERT_EQ(state(id), "RUNNING") << "its lease has not ended";
  SignalJobs act;
  act.ids = {id};
  act.signal = 10;
  act.to_batch = true;
  act.to_steps = false;
  EXPECT_EQ(std::get<Acted>(ask(act).body).outcomes.at(0).done, "sent signal 10")
      << "the script runs on n1";
  act.to_steps = true;
  take<SignalAttempt>();
  const auto outcome = std::get<Acted>(ask(act).body).outcomes.at(0);
  ASSERT_TRUE(outcome.refused);
  EXPECT_EQ(outcome.refused->fact,
            "whether signal 10 arrives on n2 is not known: the node does not respond");
  EXPECT_FALSE(take<SignalAttempt>().empty()) << "n1 gets it";
  act.step = 0;
  act.signal = 9;
  EXPECT_EQ(std::get<Acted>(ask(act).body).outcomes.at(0).done, "being cancelled")
      << "the order to stop is repeated until n2 has it";
}

TEST_F(StepsStory, ASignalWaitsUntilTheNodesHaveReportedToANewController) {
  const JobId id = batch_on_two();
  created(srun(id, 4, "a"));
  restart();
  hello_of(id, "n1");
  take<SignalAttempt>();
  SignalJobs act;
  act.ids = {id};
  act.signal = 10;
  const auto early = std::get<Acted>(ask(act).body).outcomes.at(0);
  ASSERT_TRUE(early.refused);
  EXPECT_EQ(early.refused->fact, std::string(node_is_unheard) + ": n2");
  EXPECT_TRUE(take<SignalAttempt>().empty()) << "so that a repetition reaches no node twice";
  hello_of(id, "n2");
  EXPECT_EQ(std::get<Acted>(ask(act).body).outcomes.at(0).done, "sent signal 10");
}

TEST_F(StepsStory, ASignalForStepsIsAcceptedIfAJobHasStartedNoneFor5s) {
  const JobId id = batch_on_two();
  SignalJobs act;
  act.ids = {id};
  act.signal = 10;
  now.wall += Milliseconds{4'999};
  EXPECT_TRUE(std::get<Acted>(ask(act).body).outcomes.at(0).refused);
  now.wall -= Milliseconds{3'600'000};
  EXPECT_FALSE(std::get<Acted>(ask(act).body).outcomes.at(0).refused) << "the clock was set back";
  now.wall += Milliseconds{3'600'001};
  EXPECT_EQ(std::get<Acted>(ask(act).body).outcomes.at(0).done, "sent signal 10");
}

}  // namespace
}  // namespace cox
