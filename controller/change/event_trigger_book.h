// The event triggers in the controller's memory: a part of Cluster. event_triggers.h defines when
// triggers run.
#pragma once

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "common/base/time.h"
#include "common/cluster/event_trigger.h"

namespace cox {

class EventTriggerBook {
 public:
  void load(std::vector<EventTrigger> triggers) {
    triggers_.clear();
    due_.clear();
    for (EventTrigger& one : triggers) put(std::move(one));
  }
  void put(EventTrigger trigger) {
    erase(trigger.id);
    last_ = std::max(last_, trigger.id);
    if (trigger.due != Wall{}) due_.emplace(trigger.due, trigger.id);
    triggers_.emplace(trigger.id, std::move(trigger));
  }
  void remove(EventTriggerId id) { erase(id); }

  const std::map<EventTriggerId, EventTrigger>& all() const { return triggers_; }
  // Returns the triggers whose event has happened, sorted by the time their program runs.
  const std::set<std::pair<Wall, EventTriggerId>>& due() const { return due_; }
  // Returns an id that no trigger has had while this controller was the leader.
  EventTriggerId next() const { return EventTriggerId{last_.value + 1}; }

 private:
  void erase(EventTriggerId id) {
    const auto known = triggers_.find(id);
    if (known == triggers_.end()) return;
    due_.erase({known->second.due, id});
    triggers_.erase(known);
  }

  std::map<EventTriggerId, EventTrigger> triggers_;
  std::set<std::pair<Wall, EventTriggerId>> due_;
  EventTriggerId last_;
};

}  // namespace cox
