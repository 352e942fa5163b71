// Tests event triggers: which users may set them, when their programs run, and what survives a
// restart.
#include "controller/ledger/event_triggers.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "common/base/limits.h"
#include "tests/controller/event_triggers_story.h"

namespace cox {
namespace {

TEST_F(EventTriggers, NodesThatGoDownTogetherCauseOneRunOfTheTriggersProgram) {
  for (const std::string& name : all_nodes) node(name, 2);
  EXPECT_EQ(set(a_trigger(TriggerEvent::Down)), "");
  EXPECT_EQ(set(a_trigger(TriggerEvent::Up)), "");
  pass_with_beats(config.node_timeout - Milliseconds{2'000}, {"n3"});
  EXPECT_EQ(runs(), Runs{});
  pass_with_beats(trigger_gather + Milliseconds{4'000}, {"n3"});
  EXPECT_EQ(runs(), Runs{"1 as 1000: /bin/tell it n[1-2]"});
  EXPECT_EQ(left(), 1u) << "the other event has not happened";
  pass_with_beats(Milliseconds{60'000}, {"n3"});
  EXPECT_EQ(runs(), Runs{}) << "it ran once";
}

TEST_F(EventTriggers, ATriggerForNamedNodesIgnoresOtherNodes) {
  for (const std::string& name : all_nodes) node(name, 2);
  SetTrigger named = a_trigger(TriggerEvent::Drained);
  named.trigger.nodes = {"n3", "n2"};
  EXPECT_EQ(set(named), "");
  drain("n1");
  gather();
  EXPECT_EQ(runs(), Runs{});
  drain("n2");
  gather();
  EXPECT_EQ(runs(), Runs{"1 as 1000: /bin/tell it n2"});
}

TEST_F(EventTriggers, ATriggerRunsOnceAndAPermanentTriggerForEachEvent) {
  node("n1", 2);
  all_nodes = {"n1"};
  EXPECT_EQ(set_permanent(a_trigger(TriggerEvent::Drained)), "");
  EXPECT_EQ(set(a_trigger(TriggerEvent::Resume)), "");
  for (int i = 0; i < 2; ++i) {
    drain("n1");
    gather();
    EXPECT_EQ(runs(), Runs{"1 as 1000: /bin/tell it n1"}) << i;
    drain("n1", false);
    gather();
    EXPECT_EQ(runs(), i == 0 ? Runs{"2 as 1000: /bin/tell it n1"} : Runs{});
  }
  EXPECT_EQ(left(), 1u);
}

TEST_F(EventTriggers, ANodeIsDrainedWhenItsLastJobHasLeft) {
  node("n1", 2);
  all_nodes = {"n1"};
  const JobId id = submit({});
  ready(id);
  EXPECT_EQ(set(a_trigger(TriggerEvent::Drained)), "");
  EXPECT_EQ(set(a_trigger(TriggerEvent::Draining)), "");
  drain("n1");
  gather();
  EXPECT_EQ(runs(), Runs{"2 as 1000: /bin/tell it n1"});
  finish(id, 0);
  gather();
  EXPECT_EQ(runs(), Runs{"1 as 1000: /bin/tell it n1"});
}

// The job's end, which makes the draining node drained, and the tick that looks for events happen
// in one turn.
TEST_F(EventTriggers, ATriggerForTheNodesOfAJobSeesTheEventsOfItsEnd) {
  node("n1", 2);
  const JobId id = submit({});
  ready(id);
  drain("n1");
  EXPECT_EQ(set(a_trigger(TriggerEvent::Drained, 0, id)), "");
  finish(id, 0);
  gather();
  EXPECT_EQ(runs(), Runs{"1 as 1000: /bin/tell it " + std::to_string(id.value)});
}

TEST_F(EventTriggers, AnOffsetDelaysTheRunOfATriggersProgram) {
  node("n1", 2);
  all_nodes = {"n1"};
  EXPECT_EQ(set(a_trigger(TriggerEvent::Drained, 60)), "");
  EXPECT_EQ(set(a_trigger(TriggerEvent::Drained, -60)), "");
  drain("n1");
  gather();
  EXPECT_EQ(runs(), Runs{"2 as 1000: /bin/tell it n1"}) << "the event cannot be foreseen";
  pass_with_beats(Milliseconds{50'000}, all_nodes);
  EXPECT_EQ(runs(), Runs{});
  pass_with_beats(Milliseconds{10'000}, all_nodes);
  EXPECT_EQ(runs(), Runs{"1 as 1000: /bin/tell it n1"});
}

TEST_F(EventTriggers, ANodeHasToBeIdleForAllOfTheOffset) {
  node("n1", 2);
  all_nodes = {"n1"};
  EXPECT_EQ(set_permanent(a_trigger(TriggerEvent::Idle, 60)), "");
  pass_with_beats(Milliseconds{50'000}, all_nodes);
  const JobId id = submit({});
  ready(id);
  pass_with_beats(Milliseconds{60'000}, all_nodes);
  EXPECT_EQ(runs(), Runs{}) << "a job runs there";
  finish(id, 0);
  pass_with_beats(Milliseconds{50'000}, all_nodes);
  EXPECT_EQ(runs(), Runs{});
  pass_with_beats(Milliseconds{15'000}, all_nodes);
  EXPECT_EQ(runs(), Runs{"1 as 1000: /bin/tell it n1"});
  pass_with_beats(Milliseconds{200'000}, all_nodes);
  EXPECT_EQ(runs(), Runs{}) << "once for each idle time";
}

TEST_F(EventTriggers, TheEndOfAJobRunsItsFiniTriggersAndDeletesItsOtherTriggers) {
  node("n1", 2);
  const JobId id = submit({});
  ready(id);
  EXPECT_EQ(set(a_trigger(TriggerEvent::Fini, 0, id)), "");
  EXPECT_EQ(set(a_trigger(TriggerEvent::Down, 0, id)), "");
  EXPECT_EQ(set(a_trigger(TriggerEvent::Time, 0, id)), "");
  pass(Milliseconds{1'000});
  EXPECT_EQ(runs(), Runs{});
  EXPECT_EQ(left(), 3u);
  finish(id, 3);
  pass(Milliseconds{1'000});
  EXPECT_EQ(runs(), Runs{"1 as 1000: /bin/tell it " + std::to_string(id.value)});
  pass(Milliseconds{1'000});
  EXPECT_EQ(left(), 0u);
  EXPECT_EQ(set(a_trigger(TriggerEvent::Fini, 0, id)), "Job/step already completing or completed");
}

TEST_F(EventTriggers, ATimeLimitIsAnEventThatAnOffsetMayPrecede) {
  node("n1", 2);
  all_nodes = {"n1"};
  const JobId id = submit({.time_limit_s = 100});
  ready(id);
  EXPECT_EQ(set(a_trigger(TriggerEvent::Time, -40, id)), "");
  pass_with_beats(Milliseconds{55'000}, all_nodes);
  EXPECT_EQ(runs(), Runs{});
  pass_with_beats(Milliseconds{8'000}, all_nodes);
  EXPECT_EQ(runs(), Runs{"1 as 1000: /bin/tell it " + std::to_string(id.value)});
}

TEST_F(EventTriggers, AnEventSurvivesARestartAndRunsItsTriggerOnce) {
  node("n1", 2);
  EXPECT_EQ(set(a_trigger(TriggerEvent::Drained)), "");
  EXPECT_EQ(set(a_trigger(TriggerEvent::Drained, 3)), "");
  drain("n1");
  EXPECT_EQ(runs(), Runs{}) << "further nodes may join the event";
  restart();
  pass(trigger_gather + Milliseconds{1'000});
  EXPECT_EQ(runs(), (Runs{"1 as 1000: /bin/tell it n1", "2 as 1000: /bin/tell it n1"}));
  restart();
  pass(trigger_gather + Milliseconds{1'000});
  EXPECT_EQ(runs(), Runs{});
  EXPECT_EQ(set(a_trigger(TriggerEvent::Drained)), "");
  restart();
  pass(Milliseconds{20'000});
  EXPECT_EQ(runs(), Runs{}) << "the node was drained before";
}

TEST_F(EventTriggers, ATriggerRunsForAJobThatEndedBeforeARestart) {
  node("n1", 2);
  const JobId id = submit({});
  ready(id);
  EXPECT_EQ(set(a_trigger(TriggerEvent::Fini, 0, id)), "");
  finish(id, 0);
  restart();
  pass(Milliseconds{1'000});
  EXPECT_EQ(runs().size(), 1u);
}

TEST_F(EventTriggers, AControllerThatBeginsToLeadIsAnEvent) {
  EXPECT_EQ(set(a_trigger(TriggerEvent::ControllerStarted)), "");
  EXPECT_EQ(set_permanent(a_trigger(TriggerEvent::ControllerStarted)), "");
  pass(Milliseconds{1'000});
  EXPECT_EQ(runs(), Runs{}) << "it leads already";
  const std::string word = " as 1000: /bin/tell it primary_slurmctld_resumed_operation";
  restart();
  pass(Milliseconds{1'000});
  EXPECT_EQ(runs(), (Runs{"1" + word, "2" + word}));
  restart();
  pass(Milliseconds{1'000});
  EXPECT_EQ(runs(), Runs{"2" + word});
}

TEST_F(EventTriggers, OnlyTheOwnerMaySetTriggersIfTheControllerIsNotRoot) {
  node("n1", 2);
  const JobId id = submit({});
  EXPECT_EQ(set_as(1001, a_trigger(TriggerEvent::Fini, 0, id)).substr(0, 24),
            "Access/permission denied");
  EXPECT_EQ(set_as(0, a_trigger(TriggerEvent::Down)).substr(0, 24), "Access/permission denied");
  EXPECT_EQ(left(), 0u);
}

TEST_F(EventTriggers, UsersMaySetTriggersOfTheirJobsIfTheControllerIsRoot) {
  node("n1", 2);
  const JobId id = submit({});
  config.owner_uid = 0;
  restart();
  EXPECT_EQ(set_as(1000, a_trigger(TriggerEvent::Fini, 0, id)), "");
  EXPECT_EQ(set_as(0, a_trigger(TriggerEvent::Fini, 0, id)), "");
  EXPECT_EQ(set_as(0, a_trigger(TriggerEvent::Down)), "");
  EXPECT_EQ(set_as(1000, a_trigger(TriggerEvent::Down)),
            "Access/permission denied: only the cluster's owner can set triggers of nodes and "
            "controllers");
  EXPECT_EQ(set_as(1001, a_trigger(TriggerEvent::Fini, 0, id)),
            "Access/permission denied: job 1 belongs to ada");
}

TEST_F(EventTriggers, ARequestByKeyCannotSetATrigger) {
  Caller caller{Caller::Kind::Client, "", "ada", 1000, 1000};
  caller.by_key = true;
  controller->receive({"far", caller, Message{Request{99, a_trigger(TriggerEvent::Down)}}}, now);
  settle();
  const auto replies = take<Reply>();
  ASSERT_EQ(replies.size(), 1u);
  EXPECT_EQ(refusal_of(replies.front().second),
            "Access/permission denied: the request came over the network");
}

TEST_F(EventTriggers, InvalidTriggersAreRefused) {
  node("n1", 2);
  const JobId id = submit({});
  SetTrigger wrong = a_trigger(TriggerEvent::Down);
  EXPECT_EQ(set(wrong), "");
  EXPECT_EQ(set(wrong), "Duplicate event trigger");
  wrong.trigger.nodes = {"n9"};
  EXPECT_EQ(set(wrong), "Invalid node name specified: \"n9\"");
  wrong.trigger.nodes = {"n1"};
  wrong.trigger.job = id;
  EXPECT_NE(set(wrong), "") << "nodes and a job";
  EXPECT_EQ(set(a_trigger(TriggerEvent::Fini)), "You must specify a --jobid value");
  EXPECT_EQ(set(a_trigger(TriggerEvent::Idle, 0, id)), "--idle is not an event of jobs");
  EXPECT_EQ(set(a_trigger(TriggerEvent::Fini, 0, JobId{99})), "Invalid job id specified");
  EXPECT_NE(set(a_trigger(TriggerEvent::Down, limits::trigger_offset_s_max + 1)), "");
  wrong = a_trigger(TriggerEvent::Down);
  const std::vector<std::string> programs = {"tell", "", "/bin/tell\n",
                                             "/" + std::string(5'000, 'x')};
  for (const std::string& program : programs) {
    wrong.trigger.program = program;
    EXPECT_NE(set(wrong), "") << program;
  }
  wrong.trigger.program = "/x";
  for (std::size_t i = 0; i < limits::trigger_words_max; ++i) wrong.trigger.program += " y";
  EXPECT_NE(set(wrong), "");
}

TEST_F(EventTriggers, FieldsThatOnlyTheControllerSetsAreIgnored) {
  SetTrigger lie = a_trigger(TriggerEvent::Down);
  lie.trigger.uid = 0;
  lie.trigger.user_name = "root";
  lie.trigger.due = now.wall;
  lie.trigger.happened_on = {"n1"};
  EXPECT_EQ(set(lie), "");
  pass(Milliseconds{1'000});
  EXPECT_EQ(runs(), Runs{});
  const TriggerList list = std::get<TriggerList>(ask(ListTriggers{}).body);
  ASSERT_EQ(list.triggers.size(), 1u);
  EXPECT_EQ(list.triggers[0].uid, 1000u);
  EXPECT_EQ(list.triggers[0].user_name, "ada");
  EXPECT_EQ(list.triggers[0].due, Wall{});
}

TEST_F(EventTriggers, TheCreatorAndTheOwnerMayClearATrigger) {
  node("n1", 2);
  const JobId id = submit({});
  config.owner_uid = 0;
  restart();
  EXPECT_EQ(set_as(1000, a_trigger(TriggerEvent::Fini, 0, id)), "");
  EXPECT_EQ(set_as(0, a_trigger(TriggerEvent::Down)), "");
  const auto cleared = [&](std::uint32_t uid, const ClearTriggers& ask) {
    const Reply reply = ask_as(uid, ask);
    const auto* acted = std::get_if<Acted>(&reply.body);
    if (acted == nullptr) return refusal_of(reply);
    std::string text;
    for (const auto& one : acted->outcomes)
      text += one.what + (one.refused ? " refused;" : " " + one.done + ";");
    return text;
  };
  EXPECT_EQ(cleared(1001, {EventTriggerId{1}, {}, ""}), "trigger 1 refused;");
  EXPECT_EQ(cleared(1000, {EventTriggerId{9}, {}, ""}), "there is no such trigger");
  EXPECT_EQ(cleared(1000, {}), "You must specify a --id, --jobid, or --user to clear");
  EXPECT_EQ(cleared(1000, {{}, id, ""}), "trigger 1 cleared;");
  EXPECT_EQ(cleared(0, {{}, {}, "ada"}), "trigger 2 cleared;");
  EXPECT_EQ(left(), 0u);
}

TEST_F(EventTriggers, AUserHasABoundedNumberOfTriggers) {
  node("n1", 2);
  const JobId id = submit({});
  config.owner_uid = 0;
  restart();
  std::string refused;
  for (std::size_t i = 0; i <= limits::event_triggers_per_user_max && refused.empty(); ++i)
    refused = set_as(1000, a_trigger(TriggerEvent::Fini, static_cast<std::int64_t>(i), id));
  EXPECT_EQ(refused.substr(0, 27), "there are too many triggers");
  EXPECT_EQ(left(), limits::event_triggers_per_user_max);
  EXPECT_EQ(set_as(0, a_trigger(TriggerEvent::Down)), "") << "the owner is exempt";
}

}  // namespace
}  // namespace cox
