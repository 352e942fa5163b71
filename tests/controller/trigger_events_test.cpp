// Tests which events run the program of a trigger, and which nodes the program gets as its
// argument.
#include <gtest/gtest.h>

#include <set>

#include "tests/controller/event_triggers_story.h"

namespace cox {
namespace {

// One permanent trigger for each event: 1 Down, 2 Up, 3 Draining, 4 Drained, 5 Resume.
class EachEvent : public EventTriggers {
 protected:
  void SetUp() override {
    node("n1", 2);
    node("n2", 2);
    for (const TriggerEvent event : {TriggerEvent::Down, TriggerEvent::Up, TriggerEvent::Draining,
                                     TriggerEvent::Drained, TriggerEvent::Resume})
      ASSERT_EQ(set_permanent(a_trigger(event)), "");
  }
  // Returns the triggers whose programs ran since the last call, each with its nodes, such as "3
  // n1; 4 n1;".
  std::string ran() {
    gather();
    std::string text;
    for (const TriggerRun& run : controller->take<TriggerRun>())
      text += std::to_string(run.trigger.value) + " " + run.arguments.back() + "; ";
    return text;
  }
};

TEST_F(EachEvent, ATriggerEventHappensOnceWhileItsConditionLasts) {
  all_nodes = {"n1", "n2"};
  const Ask on_n1{.with = [](JobSpec& s) { s.nodelist = {"n1"}; }};
  const JobId first = submit(on_n1), second = submit(on_n1);
  for (const JobId id : {first, second}) ready(id);
  EXPECT_EQ(ran(), "") << "jobs that start are no event";
  drain("n1");
  EXPECT_EQ(ran(), "3 n1; ");
  finish(first, 0);
  EXPECT_EQ(ran(), "") << "it is draining as before";
  finish(second, 0);
  EXPECT_EQ(ran(), "4 n1; ");
  ask(ActOnNodes{true, {"n1"}, "another fan"});
  EXPECT_EQ(ran(), "") << "it is drained as before";
  drain("n1", false);
  EXPECT_EQ(ran(), "5 n1; ");
  ready(submit({}));
  EXPECT_EQ(ran(), "");
}

TEST_F(EachEvent, ANodeThatIsSetDownIsDownAndNotDrained) {
  all_nodes = {"n1", "n2"};
  ask(ActOnNodes{true, {"n1"}, "a fan", false, true});
  EXPECT_EQ(ran(), "1 n1; ");
  ask(ActOnNodes{true, {"n1"}, "another fan", false, true});
  EXPECT_EQ(ran(), "") << "it is down as before";
  all_nodes = {"n2"};
  pass_with_beats(config.node_timeout, all_nodes);
  EXPECT_EQ(ran(), "") << "it is down for two reasons";
}

TEST_F(EachEvent, ASilentNodeIsDownUntilItReturns) {
  all_nodes = {"n2"};
  pass_with_beats(config.node_timeout + Milliseconds{2'000}, all_nodes);
  EXPECT_EQ(ran(), "1 n1; ");
  ask(ActOnNodes{true, {"n1"}, "a fan"});
  EXPECT_EQ(ran(), "4 n1; ");
  all_nodes = {"n1", "n2"};
  node("n1", 2);
  pass_with_beats(Milliseconds{10'000}, all_nodes);
  EXPECT_EQ(ran(), "2 n1; ");
}

TEST_F(EachEvent, TheNodesOfAJobAreDrainedOneAfterTheOther) {
  all_nodes = {"n1", "n2"};
  const JobId id = submit({.nodes = 2, .tasks = 4});
  ready(id);
  for (const std::string& name : all_nodes) drain(name);
  EXPECT_EQ(ran(), "3 n[1-2]; ");
  ask(ActOnJobs{JobVerb::Cancel, {id}});
  status("n1", status_of(id, NodePhase::Gone));
  EXPECT_EQ(ran(), "4 n1; ") << "its part of the job has left";
  status("n2", status_of(id, NodePhase::Gone));
  EXPECT_EQ(ran(), "4 n2; ");
}

TEST_F(EventTriggers, ALaterNodeJoinsARunAndDoesNotDelayIt) {
  for (const std::string& name : all_nodes) node(name, 2);
  EXPECT_EQ(set(a_trigger(TriggerEvent::Drained)), "");
  drain("n1");
  pass_with_beats(Milliseconds{3'000}, all_nodes);
  drain("n2");
  EXPECT_EQ(runs(), Runs{});
  pass_with_beats(Milliseconds{1'000}, all_nodes);
  EXPECT_EQ(runs(), Runs{});
  pass_with_beats(Milliseconds{1'000}, all_nodes);
  EXPECT_EQ(runs(), Runs{"1 as 1000: /bin/tell it n[1-2]"});
}

TEST_F(EventTriggers, OnlyNodesThatCouldTakeAJobCauseIdleEventsAndOnlyNamedNodesCount) {
  all_nodes = {"n1", "n2", "n3", "n4"};
  for (const std::string& name : all_nodes) node(name, 2);
  SetTrigger named = a_trigger(TriggerEvent::Idle, 60);
  named.trigger.nodes = {"n3", "n2", "n1"};
  EXPECT_EQ(set(named), "");
  EXPECT_EQ(set(a_trigger(TriggerEvent::Idle, 60)), "");
  drain("n1");
  ask(ActOnNodes{true, {"n3"}, "a fan", false, true});
  pass_with_beats(Milliseconds{58'000}, all_nodes);
  EXPECT_EQ(runs(), Runs{});
  pass_with_beats(Milliseconds{9'000}, all_nodes);
  EXPECT_EQ(runs(), (Runs{"1 as 1000: /bin/tell it n2", "2 as 1000: /bin/tell it n[2,4]"}));
}

TEST_F(EventTriggers, ANodeThatBecomesIdleAgainIsANewEvent) {
  all_nodes = {"n1", "n2"};
  for (const std::string& name : all_nodes) node(name, 2);
  EXPECT_EQ(set_permanent(a_trigger(TriggerEvent::Idle)), "");
  gather();
  EXPECT_EQ(runs(), Runs{"1 as 1000: /bin/tell it n[1-2]"});
  const JobId id = submit({.with = [](JobSpec& s) { s.nodelist = {"n1"}; }});
  ready(id);
  gather();
  finish(id, 0);
  gather();
  EXPECT_EQ(runs(), Runs{"1 as 1000: /bin/tell it n1"}) << "the other was idle all the time";
}

TEST_F(EventTriggers, ATriggerOfAJobMeansTheNodesOfItsLastAttempt) {
  for (const std::string& name : all_nodes) node(name, 2);
  const JobId runs_on_n1 = submit({.with = [](JobSpec& s) { s.nodelist = {"n1"}; }});
  ready(runs_on_n1);
  const JobId waits = submit({.with = [](JobSpec& s) { s.hold = true; }});
  EXPECT_EQ(set(a_trigger(TriggerEvent::Down, 0, runs_on_n1)), "");
  EXPECT_EQ(set(a_trigger(TriggerEvent::Down, 0, waits)), "");
  ask(ActOnNodes{true, {"n2"}, "a fan", false, true});
  gather();
  EXPECT_EQ(runs(), Runs{});
  pass_with_beats(config.node_timeout + trigger_gather + Milliseconds{3'000}, {"n2", "n3"});
  EXPECT_EQ(runs(), Runs{"1 as 1000: /bin/tell it 1"});
}

TEST_F(EventTriggers, TheFiniTriggerOfAnArrayRunsAfterItsLastTask) {
  node("n1", 2);
  const JobId id = submit({.with = [](JobSpec& s) { s.array = "0-1"; }});
  EXPECT_EQ(set(a_trigger(TriggerEvent::Fini, 10, id)), "");
  const std::set<JobId> rows = controller->cluster().jobs().arrays().rows(id);
  ASSERT_EQ(rows.size(), 2u);
  for (const JobId row : rows) {
    pass(Milliseconds{1'000});
    EXPECT_EQ(runs(), Runs{});
    ready(row);
    finish(row, 0);
  }
  pass_with_beats(Milliseconds{9'000}, {"n1"});
  EXPECT_EQ(runs(), Runs{}) << "the offset is not over";
  pass_with_beats(Milliseconds{3'000}, {"n1"});
  EXPECT_EQ(runs(), Runs{"1 as 1000: /bin/tell it " + std::to_string(id.value)});
}

TEST_F(EventTriggers, ATriggerForTheStartOfAControllerMayHaveAnOffset) {
  EXPECT_EQ(set(a_trigger(TriggerEvent::ControllerStarted, 60)), "");
  restart();
  pass(Milliseconds{0});
  pass(Milliseconds{59'000});
  EXPECT_EQ(runs(), Runs{});
  pass(Milliseconds{1'000});
  EXPECT_EQ(runs().size(), 1u);
}

TEST_F(EventTriggers, AConditionFromBeforeATriggerWasSetIsNoEvent) {
  node("n1", 2);
  all_nodes = {"n1"};
  EXPECT_EQ(set(a_trigger(TriggerEvent::Down)), "");
  ask(ClearTriggers{EventTriggerId{1}, {}, ""});
  EXPECT_EQ(left(), 0u);
  pass(Milliseconds{1'000});
  drain("n1");
  EXPECT_EQ(set(a_trigger(TriggerEvent::Drained)), "");
  ask(ActOnNodes{true, {"n1"}, "another fan"});
  gather();
  EXPECT_EQ(runs(), Runs{}) << "it was drained before";
}

}  // namespace
}  // namespace cox
