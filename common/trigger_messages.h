// What strigger asks, and what it is answered; client_messages.h has the rest.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/event_trigger.h"
#include "common/ids.h"

namespace cox {

// Answered with Acted: "trigger 3".
struct SetTrigger {
  static constexpr int tag = 125;
  static constexpr int since_version = 2;
  EventTrigger trigger;  // its number, its user and what has happened are not read
  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.trigger);
  }
};

// All that match. Answered with Acted, one outcome for each of them.
struct ClearTriggers {
  static constexpr int tag = 126;
  static constexpr int since_version = 2;
  EventTriggerId id;      // 0: any
  JobId job;              // 0: any
  std::string user_name;  // of the creator; empty: any
  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.id, self.job, self.user_name);
  }
};

struct ListTriggers {
  static constexpr int tag = 127;
  static constexpr int since_version = 2;
  EventTriggerId after;  // the page begins behind this number
  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.after);
  }
};

struct TriggerList {
  static constexpr int tag = 128;
  static constexpr int since_version = 2;
  std::vector<EventTrigger> triggers;  // by number
  bool more = false;
  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(self.triggers, self.more);
  }
};

}  // namespace cox
