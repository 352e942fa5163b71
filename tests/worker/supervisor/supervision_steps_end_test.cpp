// Tests the end of an attempt with steps of srun: what a supervisor waits for, and when it stops
// the batch script after its steps.
#include <signal.h>

#include "tests/worker/supervision_story.h"

namespace cox {
namespace {

using Story = SupervisionStory;

StepOrdered step_of_one_task() {
  StepOrdered step;
  step.launch.ranks = {0};
  return step;
}

// The first report says that the step has ended, the second one that srun has received everything.
StepReported step_end() {
  StepReported said;
  said.status.phase = StepPhase::Gone;
  return said;
}

LaunchSpec batch_on(std::int32_t node, std::int32_t nodes = 1) {
  LaunchSpec launch = batch_launch(nodes);
  launch.node_index = node;
  launch.spec.checkpoint_signal = SIGUSR1;
  return launch;
}

// Asks the attempt to stop while its step runs, and lets the step end.
Story& stop_with_step(Story& story, StopOrder order) {
  story.run_ranks().on(step_of_one_task()).on(StopOrdered{order}).on(step_end()).skip();
  return story;
}

// Returns whether the script gets SIGTERM when its step has ended and srun has everything.
bool ends_script(LaunchSpec launch, StopOrder order) {
  Story story(std::move(launch));
  stop_with_step(story, order);
  story.on(step_end());
  bool ends = false;
  for (const Action& action : story.actions)
    if (const auto* signal = std::get_if<SignalRanks>(&action))
      ends = ends || signal->signals == std::vector<std::int32_t>{SIGCONT, SIGTERM};
  story.skip();
  return ends;
}

StopOrder at_time_limit() {
  StopOrder order = preempt(600'000);
  order.why = StopWhy::TimeLimit;
  return order;
}

TEST(SupervisionStepsEnd, AScriptIsStoppedWhenItsStepsHaveLeftAfterTheRequestToStop) {
  Story story(batch_on(0));
  stop_with_step(story, preempt(600'000));
  story.on(Tick{});
  EXPECT_TRUE(story.actions.empty()) << "srun has not received the last output yet";
  story.on(step_end());
  const SignalRanks signal = story.take<SignalRanks>();
  EXPECT_EQ(signal.signals, (std::vector<std::int32_t>{SIGCONT, SIGTERM}));
  EXPECT_TRUE(signal.whole_group);
  EXPECT_EQ(signal.reason, StopWhy::Preempt);
  story.wait_until(1'999);
  EXPECT_TRUE(story.actions.empty());
  story.wait_until(2'000);
  story.take<KillEverything>();
}

TEST(SupervisionStepsEnd, AScriptRunsOnIfItAskedForTheSignalOrHadNoStepOrWasOnlyWarned) {
  EXPECT_TRUE(ends_script(batch_on(0), preempt(600'000)));
  LaunchSpec shell = batch_on(0);
  shell.spec.checkpoint_signal = 0;
  shell.spec.signal = {SIGUSR1, 60, true};
  EXPECT_FALSE(ends_script(shell, preempt(600'000))) << "--signal=B:USR1";
  LaunchSpec warned = batch_on(0);
  warned.spec.signal = {SIGUSR1, 60, false};
  EXPECT_FALSE(ends_script(warned, at_time_limit())) << "a warning before the time limit";
  warned.spec.requeue_on_timeout = true;
  EXPECT_TRUE(ends_script(warned, at_time_limit()));
  EXPECT_FALSE(ends_script(batch_on(0, 2), preempt(600'000)))
      << "a task on the other node may still save";

  Story without(batch_on(0));
  without.run_ranks().on(step_of_one_task()).on(step_end()).on(step_end()).skip();
  without.on(StopOrdered{preempt(600'000)}).skip();
  without.on(Tick{});
  EXPECT_TRUE(without.actions.empty()) << "no step ran when the stop was ordered";
}

TEST(SupervisionStepsEnd, TheStepDaemonIsKilledOnlyWhenSrunHasReceivedEverything) {
  Story story(batch_on(1, 2));
  stop_with_step(story, preempt(600'000));
  story.on(Tick{});
  EXPECT_TRUE(story.actions.empty());
  story.on(step_end());
  story.take<KillEverything>();
}

TEST(SupervisionStepsEnd, AnAttemptWaitsForASrunThatDoesNotAnswerOnlyForAWhile) {
  Story story(batch_on(1, 2));
  stop_with_step(story, preempt(600'000));
  const Boot until = boot_from_ms(1'000) + Supervision::release_max;
  EXPECT_EQ(story.supervision.wakeup(), until);
  story.wait_until(to_ms(until) - 1);
  EXPECT_TRUE(story.actions.empty());
  story.wait_until(to_ms(until));
  story.take<KillEverything>();

  Story lost(batch_on(1, 2));
  stop_with_step(lost, preempt(600'000));
  lost.on(StepdLost{});
  lost.take<KillEverything>();

  Story killed(batch_on(1, 2));
  stop_with_step(killed, cancel());
  killed.wait_until(2'000);
  killed.take<KillEverything>();
}

}  // namespace
}  // namespace cox
