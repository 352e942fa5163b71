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

using Happened = std::map<TriggerEvent, std::vector<std::string>>;  // names of the nodes, by event

bool has_jobs(const Cluster& cluster, const std::string& node) {
  return std::ranges::any_of(cluster.jobs_on(node), [&](JobId id) {
    const Attempt& attempt = *cluster.job(id)->live_attempt();
    return std::ranges::any_of(attempt.nodes, [&](const AttemptNode& part) {
      return part.grant.node == node && holds_room(attempt, part);
    });
  });
}

// Returns the node's condition. If it was idle in `before`, its idle time continues.
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
  EventTriggerBook& book = r.soft_state().triggers();
  for (const std::string& name : nodes_changed(r)) {
    const Node* node = r.cluster().node(name);
    if (node == nullptr) continue;
    const auto [known, is_new] = book.conditions.try_emplace(name);
    const NodeCondition before = known->second;
    known->second = condition_of(r.cluster(), *node, before, r.now().boot);
    if (known->second.idle_since == Boot{})
      std::erase_if(book.told_idle, [&](const auto& told) { return told.second == name; });
    if (!is_new) note_events(happened, name, before, known->second);
  }
  return happened;
}

// Returns those of `nodes` that the trigger is set for.
std::vector<std::string> nodes_meant(const Cluster& cluster, const EventTrigger& trigger,
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

// Returns the offset, at least 0: the events of nodes cannot be foreseen.
Milliseconds delay_of(const EventTrigger& trigger) {
  return std::chrono::seconds{std::max<std::int64_t>(trigger.offset_s, 0)};
}

// Makes the trigger due. Before its program runs, further calls may add nodes.
void pull(Reaction& r, EventTrigger trigger, Wall due, const std::vector<std::string>& nodes) {
  if (trigger.due == Wall{}) trigger.due = due;
  std::set<std::string> all(trigger.happened_on.begin(), trigger.happened_on.end());
  all.insert(nodes.begin(), nodes.end());
  trigger.happened_on.assign(all.begin(), all.end());
  r.put(std::move(trigger));
}

// Returns the ids of the matching triggers. Callers change triggers while they iterate over the
// ids.
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
    const auto some = nodes_meant(r.cluster(), trigger, happened.at(trigger.event));
    const Wall due = r.now().wall + std::max(delay_of(trigger), trigger_gather);
    if (!some.empty()) pull(r, trigger, due, some);
  }
}

// Returns whether the trigger is removed after its event. A job's end and its time limit occur
// once.
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
    if (!word.empty()) run.words.emplace_back(word);
  run.words.push_back(argument_of(trigger));
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
    // A node may have its event in the turn that ends the job, so a trigger of nodes stays until
    // the next tick.
    if (trigger.event != TriggerEvent::Fini) {
      if (!r.soft_state().triggers().jobs_over.insert(trigger.id).second)
        r.remove_trigger(trigger.id);
      return;
    }
    return pull(r, trigger, r.now().wall + delay_of(trigger), {});
  }
  if (trigger.event != TriggerEvent::Time || r.cluster().job(trigger.job) == nullptr) return;
  const std::optional<Boot> limit = r.cluster().deadlines_of(trigger.job).limit;
  if (limit && r.now().boot >= *limit + std::chrono::seconds{trigger.offset_s})
    pull(r, trigger, r.now().wall, {});
}

void watch_idle_nodes(Reaction& r, const EventTrigger& trigger) {
  EventTriggerBook& book = r.soft_state().triggers();
  std::vector<std::string> idle;
  for (const auto& [node, condition] : book.conditions) {
    const bool is_idle =
        condition.idle_since != Boot{} && r.now().boot >= condition.idle_since + delay_of(trigger);
    if (is_idle && !book.told_idle.contains({trigger.id, node})) idle.push_back(node);
  }
  idle = nodes_meant(r.cluster(), trigger, idle);
  if (idle.empty()) return;
  for (const std::string& node : idle) book.told_idle.emplace(trigger.id, node);
  // Not at once: a program that sets its trigger again would run without a pause.
  pull(r, trigger, r.now().wall + trigger_gather, idle);
}

}  // namespace

bool job_is_over(const Cluster& cluster, JobId id) {
  if (cluster.arrays().contains(id)) return cluster.arrays().is_over(id);
  const JobEntry* entry = cluster.job(id);
  return entry == nullptr || is_final(entry->job.state);
}

void watch_nodes_for_triggers(Cluster& soft_state, Now now) {
  EventTriggerBook& book = soft_state.triggers();
  const auto before = std::exchange(book.conditions, {});
  if (book.all().empty()) return;
  for (const auto& [name, node] : soft_state.nodes()) {
    const auto known = before.find(name);
    book.conditions[name] = condition_of(
        soft_state, node, known == before.end() ? NodeCondition{} : known->second, now.boot);
  }
}

void pull_triggers_of_leadership(Reaction& r) {
  EventTriggerBook& book = r.soft_state().triggers();
  const std::int64_t term = r.cluster().term().value;
  if (std::exchange(book.told_term, term) == term) return;
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
    r.soft_state().triggers().conditions.clear();
    return;
  }
  pull_for_nodes(r, node_events(r));
  fire_what_is_due(r);
}

}  // namespace cox
