// Handles the requests of users to set, clear and list event triggers.
#include <algorithm>
#include <tuple>

#include "common/base/hostlist.h"
#include "common/base/limits.h"
#include "common/base/text.h"
#include "controller/admit/input_checks.h"
#include "controller/ledger/authorisation.h"
#include "controller/ledger/event_triggers.h"
#include "controller/operate/act.h"

namespace cox {
namespace {

constexpr const char* access_denied = "Access/permission denied";

bool owns_cluster(const Cluster& cluster, const Caller& caller) {
  return caller.uid == cluster.config().owner_uid;
}

// Refuses a caller who may not set triggers. A controller that is not root can run programs only as
// its own user. A caller with a key from another host may use the cluster, but not run programs on
// the controller's host.
Failure check_trigger_user(const Cluster& cluster, const Caller& caller) {
  const std::string owner = std::to_string(cluster.config().owner_uid);
  if (caller.by_key)
    return Refusal{std::string(access_denied) + ": the request came over the network",
                   "the program runs on the controller's host; run strigger there"};
  if (cluster.config().owner_uid != 0 && !owns_cluster(cluster, caller))
    return Refusal{std::string(access_denied) + ": the controller runs as uid " + owner +
                       " and can run programs only as that user",
                   "only uid " + owner + " can set triggers, unless the controller runs as root"};
  return std::nullopt;
}

Failure check_trigger_job(const Cluster& cluster, const Caller& caller,
                          const EventTrigger& trigger) {
  if (trigger.job == JobId{}) {
    if (owns_cluster(cluster, caller)) return std::nullopt;
    return Refusal{std::string(access_denied) +
                       ": only the cluster's owner can set triggers of nodes and controllers",
                   "name one of your jobs with --jobid"};
  }
  const JobEntry* entry = cluster.job(trigger.job);
  if (entry == nullptr) return Refusal{"Invalid job id specified", "'squeue' lists the jobs"};
  if (!may_act_on(cluster, caller, entry->job))
    return Refusal{std::string(access_denied) + ": job " + std::to_string(trigger.job.value) +
                       " belongs to " + entry->job.spec->user_name,
                   ""};
  if (job_is_over(cluster, trigger.job))
    return Refusal{"Job/step already completing or completed", ""};
  return std::nullopt;
}

Failure check_trigger_event(const EventTrigger& trigger) {
  const std::string event(name(trigger.event));
  const bool has_job = trigger.job != JobId{};
  const bool needs_job = trigger.event == TriggerEvent::Fini || trigger.event == TriggerEvent::Time;
  if (needs_job && !has_job) return Refusal{"You must specify a --jobid value", ""};
  const bool takes_job =
      needs_job || (is_of_nodes(trigger.event) && trigger.event != TriggerEvent::Idle);
  if (has_job && !takes_job)
    return Refusal{"--" + event + " is not an event of jobs", "leave out --jobid"};
  if (!trigger.nodes.empty() && (has_job || !is_of_nodes(trigger.event)))
    return Refusal{"--node can be used only with an event of nodes, and not with --jobid",
                   "leave out --node"};
  return check_range("--offset", trigger.offset_s, -limits::trigger_offset_s_max,
                     limits::trigger_offset_s_max);
}

Failure check_trigger_program(const std::string& program) {
  if (auto wrong = check_word("--program", program, limits::path_bytes_max)) return wrong;
  if (!program.starts_with('/'))
    return Refusal{"The --program value must start with \"/\"", "give the absolute path"};
  if (split(program, ' ').size() > limits::trigger_words_max)
    return Refusal{
        "--program has more than " + std::to_string(limits::trigger_words_max) + " words",
        "put its arguments into a script"};
  return std::nullopt;
}

Failure check_trigger_nodes(const Cluster& cluster, const std::vector<std::string>& nodes) {
  if (nodes.size() > limits::hostlist_nodes_max)
    return Refusal{
        "--node names more than " + std::to_string(limits::hostlist_nodes_max) + " nodes",
        "leave out --node to mean all"};
  for (const std::string& node : nodes)
    if (cluster.node(node) == nullptr)
      return Refusal{"Invalid node name specified: " + quoted(node), "see 'sinfo -N'"};
  return std::nullopt;
}

auto request_key(const EventTrigger& t) {
  return std::tie(t.event, t.job, t.nodes, t.offset_s, t.program, t.permanent, t.uid);
}

Failure check_trigger_room(const Cluster& cluster, const EventTrigger& trigger) {
  std::size_t of_user = 0;
  for (const auto& [id, known] : cluster.triggers().all()) {
    if (request_key(known) == request_key(trigger))
      return Refusal{"Duplicate event trigger",
                     "it is the same as trigger " + std::to_string(id.value)};
    of_user += known.uid == trigger.uid;
  }
  const bool is_limited = trigger.uid != cluster.config().owner_uid;
  if (cluster.triggers().all().size() >= limits::event_triggers_max ||
      (is_limited && of_user >= limits::event_triggers_per_user_max))
    return Refusal{"there are too many triggers; the limits are " +
                       std::to_string(limits::event_triggers_max) + ", and " +
                       std::to_string(limits::event_triggers_per_user_max) + " for one user",
                   "clear some: 'strigger --get' lists them"};
  return std::nullopt;
}

bool is_to_clear(const EventTrigger& trigger, const ClearTriggers& ask) {
  return (ask.id == EventTriggerId{} || ask.id == trigger.id) &&
         (ask.job == JobId{} || ask.job == trigger.job) &&
         (ask.user_name.empty() || ask.user_name == trigger.user_name);
}

}  // namespace

void on_set_trigger(Reaction& r, const PeerMessage& incoming, std::int64_t number,
                    const SetTrigger& ask) {
  const auto refuse = [&](const Failure& why) { r.reply(incoming.peer, number, Refused{*why}); };
  EventTrigger trigger = ask.trigger;
  trigger.user_name = incoming.caller.user_name;
  trigger.uid = incoming.caller.uid;
  trigger.gid = incoming.caller.gid;
  trigger.set_at = r.now().wall;
  trigger.due = Wall{};
  trigger.happened_on.clear();
  if (auto why = check_trigger_user(r.cluster(), incoming.caller)) return refuse(why);
  if (auto why = check_trigger_event(trigger)) return refuse(why);
  if (auto why = check_trigger_program(trigger.program)) return refuse(why);
  if (auto why = check_trigger_nodes(r.cluster(), trigger.nodes)) return refuse(why);
  if (auto why = check_trigger_job(r.cluster(), incoming.caller, trigger)) return refuse(why);
  sort_hostnames(trigger.nodes);
  if (auto why = check_trigger_room(r.cluster(), trigger)) return refuse(why);
  trigger.id = r.cluster().triggers().next();
  const std::string what = "trigger " + std::to_string(trigger.id.value);
  const bool is_first = r.cluster().triggers().all().empty();
  r.put(std::move(trigger));
  if (is_first) watch_nodes_for_triggers(r.cluster(), r.soft_state().trigger_watch, r.now());
  r.reply(incoming.peer, number, Acted{{{what, "set", {}}}});
}

void on_clear_triggers(Reaction& r, const PeerMessage& incoming, std::int64_t number,
                       const ClearTriggers& ask) {
  if (ask.id == EventTriggerId{} && ask.job == JobId{} && ask.user_name.empty())
    return r.reply(incoming.peer, number,
                   Refused{{"You must specify a --id, --jobid, or --user to clear", ""}});
  std::vector<EventTriggerId> cleared;
  Acted acted;
  for (const auto& [id, trigger] : r.cluster().triggers().all()) {
    if (!is_to_clear(trigger, ask)) continue;
    Acted::Outcome& outcome = acted.outcomes.emplace_back();
    outcome.what = "trigger " + std::to_string(id.value);
    if (trigger.uid != incoming.caller.uid && !owns_cluster(r.cluster(), incoming.caller)) {
      outcome.refused = Refusal{
          std::string(access_denied) + ": " + outcome.what + " belongs to " + trigger.user_name,
          ""};
      continue;
    }
    outcome.done = "cleared";
    cleared.push_back(id);
  }
  for (const EventTriggerId id : cleared) r.remove_trigger(id);
  if (acted.outcomes.empty())
    return r.reply(incoming.peer, number,
                   Refused{{"there is no such trigger", "'strigger --get' lists all"}});
  r.reply(incoming.peer, number, std::move(acted));
}

TriggerList list_triggers(const Cluster& cluster, const ListTriggers& ask) {
  TriggerList list;
  std::size_t bytes = 0;
  const auto& all = cluster.triggers().all();
  for (auto at = all.upper_bound(ask.after); at != all.end(); ++at) {
    list.more = list.triggers.size() >= limits::page_rows_max || bytes >= limits::page_bytes_max;
    if (list.more) break;
    const EventTrigger& trigger = at->second;
    bytes += trigger.program.size();
    for (const std::string& node : trigger.nodes) bytes += node.size();
    list.triggers.push_back(trigger);
  }
  return list;
}

}  // namespace cox
