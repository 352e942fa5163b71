// Tests how strigger shows what an event trigger watches: a job, nodes or the controller.
#include "common/cluster/event_trigger.h"

#include <gtest/gtest.h>

namespace cox {
namespace {

std::string watched(TriggerEvent event, std::int64_t job, std::vector<std::string> nodes) {
  EventTrigger trigger;
  trigger.event = event;
  trigger.job = JobId{job};
  trigger.nodes = std::move(nodes);
  return resource_type(trigger) + " " + resource_id(trigger);
}

}  // namespace

TEST(EventTriggers, WatchAJobOrNodesOrTheController) {
  EXPECT_EQ(watched(TriggerEvent::Fini, 17, {}), "job 17");
  EXPECT_EQ(watched(TriggerEvent::Time, 17, {}), "job 17");
  EXPECT_EQ(watched(TriggerEvent::Down, 17, {"n1"}), "job 17") << "it watches the nodes of the job";
  EXPECT_EQ(watched(TriggerEvent::Down, 0, {"n1", "n2", "n5"}), "node n[1-2,5]");
  EXPECT_EQ(watched(TriggerEvent::Up, 0, {}), "node *");
  EXPECT_EQ(watched(TriggerEvent::ControllerStarted, 0, {}), "slurmctld *");
  for (const TriggerEvent event :
       {TriggerEvent::Down, TriggerEvent::Up, TriggerEvent::Drained, TriggerEvent::Draining,
        TriggerEvent::Idle, TriggerEvent::Resume})
    EXPECT_TRUE(is_of_nodes(event)) << name(event);
  for (const TriggerEvent event :
       {TriggerEvent::Fini, TriggerEvent::Time, TriggerEvent::ControllerStarted})
    EXPECT_FALSE(is_of_nodes(event)) << name(event);
}

}  // namespace cox
