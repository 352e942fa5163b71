#include "common/cluster/event_trigger.h"

#include "common/base/check.h"
#include "common/base/hostlist.h"

namespace cox {

std::string_view name(TriggerEvent event) {
  switch (event) {
    case TriggerEvent::Down: return "down";
    case TriggerEvent::Up: return "up";
    case TriggerEvent::Drained: return "drained";
    case TriggerEvent::Draining: return "draining";
    case TriggerEvent::Idle: return "idle";
    case TriggerEvent::Resume: return "resume";
    case TriggerEvent::Fini: return "fini";
    case TriggerEvent::Time: return "time";
    case TriggerEvent::ControllerStarted: return "primary_slurmctld_resumed_operation";
  }
  CHECK(false && "unknown TriggerEvent");
}

bool is_of_nodes(TriggerEvent event) {
  switch (event) {
    case TriggerEvent::Down:
    case TriggerEvent::Up:
    case TriggerEvent::Drained:
    case TriggerEvent::Draining:
    case TriggerEvent::Idle:
    case TriggerEvent::Resume: return true;
    case TriggerEvent::Fini:
    case TriggerEvent::Time:
    case TriggerEvent::ControllerStarted: break;
  }
  return false;
}

std::string resource_type(const EventTrigger& trigger) {
  if (trigger.job != JobId{}) return "job";
  return is_of_nodes(trigger.event) ? "node" : "slurmctld";
}

std::string resource_id(const EventTrigger& trigger) {
  if (trigger.job != JobId{}) return std::to_string(trigger.job.value);
  return trigger.nodes.empty() ? "*" : compress_hostlist(trigger.nodes);
}

}  // namespace cox
