// An event trigger (strigger): a program that the controller runs when something happens to a job
// or to nodes. The same struct is the row of cox.event_trigger, the controller's copy in memory,
// and the reply to clients.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/fields.h"
#include "common/base/ids.h"
#include "common/base/time.h"

namespace cox {

using EventTriggerId = Id<struct EventTriggerTag, std::int64_t>;

enum class TriggerEvent : std::uint8_t {
  Down,               // a node is down
  Up,                 // a node is no longer down
  Drained,            // a node is drained, and no job is left there
  Draining,           // a node is drained while jobs run there
  Idle,               // a node had no job for offset_s
  Resume,             // a node is no longer drained
  Fini,               // a job has ended
  Time,               // a job reaches its time limit
  ControllerStarted,  // a controller becomes the leader
};
std::string_view name(TriggerEvent event);  // as in Slurm
bool is_of_nodes(TriggerEvent event);

struct EventTrigger {
  EventTriggerId id;
  TriggerEvent event = TriggerEvent::Down;
  JobId job;                       // the job whose event is awaited; 0: no job
  std::vector<std::string> nodes;  // empty: every node, or all nodes of `job`
  std::int64_t offset_s = 0;  // the program runs so much later than the event; negative: earlier
  std::string program;        // path and arguments
  bool permanent = false;     // remains after its event, and runs at the next one too
  std::string user_name;      // the user who set it; the program runs as this user
  std::uint32_t uid = 0;
  std::uint32_t gid = 0;
  Wall set_at{};
  Wall due{};  // when the program will run; Wall{}: the event has not happened yet
  std::vector<std::string> happened_on{};  // nodes on which the event has happened

  COX_FIELDS(id, event, job, nodes, offset_s, program, permanent, user_name, uid, gid, set_at, due,
             happened_on);
  bool operator==(const EventTrigger&) const = default;
};

// These return the trigger's resource as Slurm shows it: the type "job", "node" or "slurmctld", and
// the id "17", "n[1-2]" or "*".
std::string resource_type(const EventTrigger& trigger);
std::string resource_id(const EventTrigger& trigger);

}  // namespace cox
