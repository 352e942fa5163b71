// The requests of strigger and the replies. client_messages.h has all other messages of clients.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/base/fields.h"
#include "common/base/ids.h"
#include "common/cluster/event_trigger.h"

namespace cox {

// Creates a trigger. The reply is Acted with the new id: "trigger 3".
struct SetTrigger {
  static constexpr int tag = 125;
  static constexpr int since_version = 2;
  EventTrigger trigger;  // the controller sets id, user, due and happened_on itself
  COX_FIELDS(trigger);
};

// Deletes all triggers that match. The reply is Acted, with one outcome for each of them.
struct ClearTriggers {
  static constexpr int tag = 126;
  static constexpr int since_version = 2;
  EventTriggerId id;      // 0: any
  JobId job;              // 0: any
  std::string user_name;  // user who created it; empty: any
  COX_FIELDS(id, job, user_name);
};

struct ListTriggers {
  static constexpr int tag = 127;
  static constexpr int since_version = 2;
  EventTriggerId after;  // last id of the page before; 0: the first page
  COX_FIELDS(after);
};

struct TriggerList {
  static constexpr int tag = 128;
  static constexpr int since_version = 2;
  std::vector<EventTrigger> triggers;  // by id
  bool more = false;
  COX_FIELDS(triggers, more);
};

}  // namespace cox
