// Detects events and requests the runs of triggers. set_triggers.cpp handles the users' requests.
#include "controller/ledger/event_triggers.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "common/base/hostlist.h"
#include "common/base/text.h"

namespace cox {
namespace {

// The nodes on which each event has happened.
using Happened = std::map<TriggerEvent, std::vector<std::string>>;

bool has_jobs(const Cluster& cluster, const std::string& node) {
  return std::ranges::any_of(cluster.jobs().on_node(node), [&](JobId id) {
    const Attempt& attempt = *cluster.job(id)->live_attempt();
    return std::ranges::any_of(attempt.nodes, [&](const AttemptNode& part) {
      return part.grant.node == node && holds_room(attempt, part);
    });
  });
}

// Returns the node's condition. If the node was idle in `before` and still is, `idle_since` is
// kept.
NodeCondition condition_of(const Cluster& cluster, const Node& node, const NodeCondition& before,
                           Boot now) {
  NodeCondition condition;
  condition.is_down = !node.responding || node.set_down;
  condition.is_drained = node.drained && !node.set_down;
  condition.is_busy = has_jobs(cluster, node.name);
  if (!condition.is_down && !condition.is_drained && !condition.is_busy)
    condition.idle_since = before.idle_since == Boot{} ? now : before.idle_since;
  return condition;
}

void note_events(Happened& happened, const std::string& node, const NodeCondition& before,
                 const NodeCondition& now) {
  const auto add = [&](TriggerEvent event, bool has_happened) {
    if (has_happened) happened[event].push_back(node);
  };
  const auto is_empty = [](const NodeCondition& c) { return c.is_drained && !c.is_busy; };
  const auto is_emptying = [](const NodeCondition& c) { return c.is_drained && c.is_busy; };
  add(TriggerEvent::Down, !before.is_down && now.is_down);
  add(TriggerEvent::Up, before.is_down && !now.is_down);
  add(TriggerEvent::Draining, !is_emptying(before) && is_emptying(now));
  add(TriggerEvent::Drained, !is_empty(before) && is_empty(now));
  add(TriggerEvent::Resume, before.is_drained && !now.is_drained);
}

void add_nodes(std::set<std::string>& names, const Attempt& attempt) {
  for (const AttemptNode& part : attempt.nodes) names.insert(part.grant.node);
}

// Returns the nodes whose condition the turn may have changed.
std::set<std::string> nodes_changed(const Reaction& r) {
  std::set<std::string> names;
  for (const Change& change : r.changes) {
    if (const auto* node = std::get_if<NodeChanged>(&change)) names.insert(node->node.name);
    if (const auto* added = std::get_if<AttemptAdded>(&change)) add_nodes(names, added->attempt);
    if (const auto* put = std::get_if<AttemptChanged>(&change)) add_nodes(names, put->attempt);
    const auto* moved = std::get_if<JobChanged>(&change);
    const JobEntry* entry = moved == nullptr ? nullptr : r.cluster().job(moved->job.id);
    if (entry != nullptr && !entry->attempts.empty()) add_nodes(names, entry->attempts.back());
  }
  return names;
}

Happened node_events(Reaction& r) {
  Happened happened;
  TriggerWatch& watch = r.soft_state().trigger_watch;
  for (const std::string& name : nodes_changed(r)) {
    const Node* node = r.cluster().node(name);
    if (node == nullptr) continue;
    const auto [known, is_new] = watch.conditions.try_emplace(name);
    const NodeCondition before = known->second;
    known->second = condition_of(r.cluster(), *node, before, r.now().boot);
    if (known->second.idle_since == Boot{})
      std::erase_if(watch.reported_idle, [&](const auto& pair) { return pair.second == name; });
    if (!is_new) note_events(happened, name, before, known->second);
  }
  return happened;
}

// Returns those of `nodes` that the trigger is set for.
std::vector<std::string> selected_nodes(const Cluster& cluster, const EventTrigger& trigger,
                                        const std::vector<std::string>& nodes) {
  std::set<std::string> wanted(trigger.nodes.begin(), trigger.nodes.end());
  if (trigger.job != JobId{}) {
    const JobEntry* entry = cluster.job(trigger.job);
    if (entry == nullptr || entry->attempts.empty()) return {};
    wanted.clear();
    add_nodes(wanted, entry->attempts.back());
  } else if (trigger.nodes.empty()) {
    return nodes;
  }
  std::vector<std::string> some;
  for (const std::string& node : nodes)
    if (wanted.contains(node)) some.push_back(node);
  return some;
}

// Returns the offset of the trigger, or 0 if it is negative: events of nodes cannot be known in
// advance.
Milliseconds delay_of(const EventTrigger& trigger) {
  return std::chrono::seconds{std::max<std::int64_t>(trigger.offset_s, 0)};
}

// Makes the trigger due at `due`. Until its program runs, further calls may add nodes.
void pull(Reaction& r, EventTrigger trigger, Wall due, const std::vector<std::string>& nodes) {
  if (trigger.due == Wall{}) trigger.due = due;
  std::set<std::string> all(trigger.happened_on.begin(), trigger.happened_on.end());
  all.insert(nodes.begin(), nodes.end());
  trigger.happened_on.assign(all.begin(), all.end());
  r.put(std::move(trigger));
}

// Returns the ids of the matching triggers, as a copy, since callers change triggers while they
// iterate over them.
std::vector<EventTriggerId> some_of(const Reaction& r, auto matches) {
  std::vector<EventTriggerId> some;
  for (const auto& [id, trigger] : r.cluster().triggers().all())
    if (matches(trigger)) some.push_back(id);
  return some;
}

const EventTrigger& trigger_of(const Reaction& r, EventTriggerId id) {
  return r.cluster().triggers().all().at(id);
}

void pull_for_nodes(Reaction& r, const Happened& happened) {
  if (happened.empty()) return;
  const auto has_happened = [&](const EventTrigger& t) { return happened.contains(t.event); };
  for (const EventTriggerId id : some_of(r, has_happened)) {
    const EventTrigger& trigger = trigger_of(r, id);
    const auto some = selected_nodes(r.cluster(), trigger, happened.at(trigger.event));
    const Wall due = r.now().wall + std::max(delay_of(trigger), trigger_gather);
    if (!some.empty()) pull(r, trigger, due, some);
  }
}

// Returns whether the trigger is removed after its event: it has no PERM, or the event is the end
// or the time limit of a job, which happens only once.
bool ends_with_its_event(const EventTrigger& trigger) {
  return !trigger.permanent || trigger.event == TriggerEvent::Fini ||
         trigger.event == TriggerEvent::Time;
}

std::string argument_of(const EventTrigger& trigger) {
  if (trigger.job != JobId{}) return std::to_string(trigger.job.value);
  if (!is_of_nodes(trigger.event)) return std::string(name(trigger.event));
  std::vector<std::string> nodes = trigger.happened_on;
  sort_hostnames(nodes);
  return compress_hostlist(nodes);
}

void fire(Reaction& r, EventTrigger trigger) {
  TriggerRun run{trigger.id, trigger.user_name, trigger.uid, trigger.gid, {}};
  for (const std::string_view word : split(trigger.program, ' '))
    if (!word.empty()) run.arguments.emplace_back(word);
  run.arguments.push_back(argument_of(trigger));
  r.trigger_runs.push_back(std::move(run));
  if (ends_with_its_event(trigger)) return r.remove_trigger(trigger.id);
  trigger.due = Wall{};
  trigger.happened_on.clear();
  r.put(std::move(trigger));
}

void fire_what_is_due(Reaction& r) {
  std::vector<EventTriggerId> due;
  for (const auto& [at, id] : r.cluster().triggers().due()) {
    if (at > r.now().wall) break;
    due.push_back(id);
  }
  for (const EventTriggerId id : due) fire(r, trigger_of(r, id));
}

void watch_job_trigger(Reaction& r, const EventTrigger& trigger) {
  if (job_is_over(r.cluster(), trigger.job)) {
    // A node may have its event in the same turn in which the job ends, so a trigger for events of
    // the job's nodes stays until the next tick.
    if (trigger.event != TriggerEvent::Fini) {
      if (!r.soft_state().trigger_watch.jobs_over.insert(trigger.id).second)
        r.remove_trigger(trigger.id);
      return;
    }
    return pull(r, trigger, r.now().wall + delay_of(trigger), {});
  }
  if (trigger.event != TriggerEvent::Time || r.cluster().job(trigger.job) == nullptr) return;
  const std::optional<Boot> limit = r.cluster().deadlines().of(trigger.job).limit;
  if (limit && r.now().boot >= *limit + std::chrono::seconds{trigger.offset_s})
    pull(r, trigger, r.now().wall, {});
}

void watch_idle_nodes(Reaction& r, const EventTrigger& trigger) {
  TriggerWatch& watch = r.soft_state().trigger_watch;
  std::vector<std::string> idle;
  for (const auto& [node, condition] : watch.conditions) {
    const bool is_idle =
        condition.idle_since != Boot{} && r.now().boot >= condition.idle_since + delay_of(trigger);
    if (is_idle && !watch.reported_idle.contains({trigger.id, node})) idle.push_back(node);
  }
  idle = selected_nodes(r.cluster(), trigger, idle);
  if (idle.empty()) return;
  for (const std::string& node : idle) watch.reported_idle.emplace(trigger.id, node);
  // Due only after trigger_gather: a program that sets its trigger again would otherwise run
  // without a pause.
  pull(r, trigger, r.now().wall + trigger_gather, idle);
}

}  // namespace

bool job_is_over(const Cluster& cluster, JobId id) {
  if (cluster.jobs().arrays().contains(id)) return cluster.jobs().arrays().is_over(id);
  const JobEntry* entry = cluster.job(id);
  return entry == nullptr || is_final(entry->job.state);
}

void watch_nodes_for_triggers(const Cluster& cluster, TriggerWatch& watch, Now now) {
  const auto before = std::exchange(watch.conditions, {});
  if (cluster.triggers().all().empty()) return;
  for (const auto& [name, node] : cluster.nodes().all()) {
    const auto known = before.find(name);
    watch.conditions[name] = condition_of(
        cluster, node, known == before.end() ? NodeCondition{} : known->second, now.boot);
  }
}

void pull_triggers_of_leadership(Reaction& r) {
  TriggerWatch& watch = r.soft_state().trigger_watch;
  const std::int64_t term = r.cluster().term().value;
  if (std::exchange(watch.reported_term, term) == term) return;
  const auto waits_for_it = [](const EventTrigger& t) {
    return t.event == TriggerEvent::ControllerStarted && t.due == Wall{};
  };
  for (const EventTriggerId id : some_of(r, waits_for_it))
    pull(r, trigger_of(r, id), r.now().wall + delay_of(trigger_of(r, id)), {});
}

void watch_triggers(Reaction& r) {
  const auto waits_for_time = [](const EventTrigger& t) {
    return t.due == Wall{} && (t.job != JobId{} || t.event == TriggerEvent::Idle);
  };
  for (const EventTriggerId id : some_of(r, waits_for_time)) {
    const EventTrigger& trigger = trigger_of(r, id);
    if (trigger.job != JobId{})
      watch_job_trigger(r, trigger);
    else
      watch_idle_nodes(r, trigger);
  }
}

void pull_triggers(Reaction& r) {
  if (r.cluster().triggers().all().empty()) {
    r.soft_state().trigger_watch.conditions.clear();
    return;
  }
  pull_for_nodes(r, node_events(r));
  fire_what_is_due(r);
}

}  // namespace cox
