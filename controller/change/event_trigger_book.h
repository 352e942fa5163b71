// The event triggers in the controller's memory: a part of Cluster. The triggers are state; the
// conditions of the nodes are a cache, computed from the rest of the cluster. event_triggers.h
// defines when triggers run.
#pragma once

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "common/base/time.h"
#include "common/cluster/event_trigger.h"

namespace cox {

// The conditions of a node whose changes are events of triggers.
struct NodeCondition {
  bool is_down = false;
  bool is_drained = false;  // jobs may still run there
  bool is_busy = false;     // a job holds room there
  Boot idle_since{};        // Boot{}: not idle
};

class EventTriggerBook {
 public:
  void load(std::vector<EventTrigger> triggers) {
    triggers_.clear();
    due_.clear();
    told_idle.clear();
    jobs_over.clear();
    for (EventTrigger& one : triggers) put(std::move(one));
  }
  void put(EventTrigger trigger) {
    erase(trigger.id);
    last_ = std::max(last_, trigger.id);
    if (trigger.due != Wall{}) due_.emplace(trigger.due, trigger.id);
    triggers_.emplace(trigger.id, std::move(trigger));
  }
  void remove(EventTriggerId id) {
    erase(id);
    jobs_over.erase(id);
    std::erase_if(told_idle, [&](const auto& told) { return told.first == id; });
  }

  const std::map<EventTriggerId, EventTrigger>& all() const { return triggers_; }
  // Returns the triggers whose event has happened, sorted by the time their program runs.
  const std::set<std::pair<Wall, EventTriggerId>>& due() const { return due_; }
  // Returns an id that no trigger has had while this controller was the leader.
  EventTriggerId next() const { return EventTriggerId{last_.value + 1}; }

  // A cache: the condition of each node at the end of the last turn; empty if there is no trigger.
  std::map<std::string, NodeCondition> conditions;
  // Triggers and nodes for which the idle event of the current idle time has already happened.
  std::set<std::pair<EventTriggerId, std::string>> told_idle;
  // Triggers whose job had ended at the last tick.
  std::set<EventTriggerId> jobs_over;
  std::int64_t told_term = 0;  // the last term whose begin caused an event

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
