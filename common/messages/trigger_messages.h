// The requests of strigger and their replies. client_messages.h has the other messages.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/base/ids.h"
#include "common/cluster/event_trigger.h"

namespace cox {

// Sets a trigger. The reply is Acted: "trigger 3".
struct SetTrigger {
  static constexpr int tag = 125;
  static constexpr int since_version = 2;
  EventTrigger trigger;  // the controller ignores its id, user, due and happened_on
  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.trigger);
  }
};

// Clears all triggers that match. The reply is Acted, with one outcome for each.
struct ClearTriggers {
  static constexpr int tag = 126;
  static constexpr int since_version = 2;
  EventTriggerId id;      // 0: any
  JobId job;              // 0: any
  std::string user_name;  // the creator; empty: any
  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.id, self.job, self.user_name);
  }
};

struct ListTriggers {
  static constexpr int tag = 127;
  static constexpr int since_version = 2;
  EventTriggerId after;  // the page begins after this id
  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.after);
  }
};

struct TriggerList {
  static constexpr int tag = 128;
  static constexpr int since_version = 2;
  std::vector<EventTrigger> triggers;  // by id
  bool more = false;
  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.triggers, self.more);
  }
};

}  // namespace cox
