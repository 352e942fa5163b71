#include "controller/attempt/react_silence.h"

// A silent node gets no work. Its attempts are lost when their lease has surely ended. A fence ends
// that wait sooner: it proves that the node runs nothing, because fence_program, or an operator who
// then runs `cox fence`, has powered it off.
#include <algorithm>

#include "common/base/limits.h"
#include "common/base/moment_text.h"
#include "common/base/text.h"
#include "controller/attempt/attempt.h"
#include "controller/attempt/react_health.h"
#include "controller/change/recovery.h"
#include "controller/ledger/lost_attempts.h"
#include "controller/state/counted.h"
#include "controller/state/node_health.h"

namespace cox {
namespace {

constexpr const char* not_responding = "Not responding";  // Slurm's reason

std::string seconds_text(Milliseconds time) {
  return std::to_string(time.count() / 1000) + " s";
}

bool waits_for(const Attempt& attempt, const std::string& node) {
  return std::ranges::any_of(attempt.nodes, [&](const AttemptNode& n) {
    return n.grant.node == node && n.phase != NodePhase::Gone;
  });
}

}  // namespace

bool is_silent(const Cluster& cluster, const std::string& node, Boot now) {
  return now - cluster.soft().contact(node).last_contact > cluster.config().node_timeout;
}

bool some_job_waits_for(const Cluster& cluster, const std::string& node) {
  return std::ranges::any_of(cluster.jobs().on_node(node), [&](JobId id) {
    return waits_for(*cluster.job(id)->live_attempt(), node);
  });
}

namespace {

// Ends the node's part of its attempts: of all with a proof for the node, otherwise of those that
// are lost as soon as their node is silent.
void end_lost_parts_on(Reaction& r, const std::string& node, const std::optional<Emptied>& proof) {
  std::int64_t lost = 0;
  for (const JobId id : r.cluster().jobs().on_node(node)) {
    if (!waits_for(*r.cluster().job(id)->live_attempt(), node)) continue;
    const auto own = proof ? proof : Emptied::by_silence(r.cluster(), id, node);
    if (!own) continue;
    ++lost;
    end_lost_part(r, id, node, *own);
  }
  if (lost > 0)
    blame_node(r, node, JobId{}, "it was lost while " + counted(lost, "job") + " ran there");
}

void begin_silence(Reaction& r, Node node, Milliseconds silent) {
  NodeContact& live = r.soft_state().edit(node.name);
  live.silent_since = r.now().boot;
  live.fence_tries = 0;
  live.fence_asked = live.fence_due = Boot{};
  const std::string name = node.name;
  node.responding = false;
  if (!node.drained) node.reason = not_responding;
  r.put(std::move(node));
  r.note_node(name, "not responding", "no contact for " + seconds_text(silent), "controller");
  for (const JobId id : r.cluster().jobs().on_node(name))
    r.note(id, "node", "node " + name + " does not respond; its lease still holds", "controller");
}

void ask_for_fence(Reaction& r, const std::string& node, Milliseconds silent) {
  const ControllerConfig& config = r.cluster().config();
  NodeContact& live = r.soft_state().edit(node);
  const Boot now = r.now().boot;
  if (config.fence_program.empty() || silent < config.fence_after || now < live.fence_due) return;
  if (live.fence_tries >= fence_tries_max || !some_job_waits_for(r.cluster(), node)) return;
  if (too_many_are_silent(r.cluster())) return;
  ++live.fence_tries;
  live.fence_asked = now;
  // If the end of this run is never reported, as after a takeover, fence_program is requested again
  // at this time.
  live.fence_due = now + Milliseconds{limits::fence_run_ms_max} + fence_retry;
  r.fences.push_back({node, now});
  r.note_node(node, "fence", "run " + std::to_string(live.fence_tries) + " of fence_program",
              "controller");
}

// Marks the node as not responding, ends the attempts that are lost with it, and requests a run of
// fence_program if one is due. REQUIRES: the node has sent nothing for longer than node_timeout.
void watch_silent_node(Reaction& r, const std::string& node) {
  const Milliseconds silent = r.now().boot - r.cluster().soft().contact(node).last_contact;
  r.soft_state().edit(node).good_beats = 0;
  Node known = *r.cluster().node(node);
  if (known.responding) {
    begin_silence(r, std::move(known), silent);
  } else if (known.reason.starts_with(returning_begins)) {  // silent again before it had returned
    known.reason = not_responding;
    r.put(std::move(known));
  }
  end_lost_parts_on(r, node, Emptied::by_lease(r.cluster(), node, r.now().boot));
  ask_for_fence(r, node, silent);
}

void end_fenced_parts(Reaction& r, const std::string& node, const std::string& by) {
  r.soft_state().edit(node).fenced = r.now().boot;
  r.note_node(node, "fenced", "nothing runs there any more", by);
  end_lost_parts_on(r, node, Emptied::by_fence(r.cluster(), node, by));
  r.ask_for_scheduling();
}

// Returns what the controller does to fence the node, and what an operator can do.
std::string fence_text(const Cluster& cluster, const std::string& node) {
  const ControllerConfig& config = cluster.config();
  const NodeContact& live = cluster.soft().contact(node);
  std::string text = "; if it is powered off, `cox fence " + node + " --confirm` ends the wait";
  if (config.fence_program.empty()) return text;
  if (live.fence_tries >= fence_tries_max)
    return "; fence_program has failed " + std::to_string(live.fence_tries) + " times" + text;
  if (too_many_are_silent(cluster))
    return "; fence_program is not run, since too many nodes are silent at once" + text;
  if (live.fence_tries > 0) return "; fence_program is trying to power it off" + text;
  return "; fence_program powers it off when it has been silent for " +
         seconds_text(config.fence_after) + text;
}

// Returns what happens to the job at `proven`, from when on nothing of it can run on the node.
std::string loss_text(const JobEntry& e, Wall proven) {
  const Attempt& attempt = *e.live_attempt();
  const std::string moment = moment_text(proven);
  switch (attempt.stop.why) {
    case StopWhy::RankFailed:
      if (!is_failed_gang(attempt)) break;
      [[fallthrough]];
    case StopWhy::None:
    case StopWhy::Drain:
    case StopWhy::Migrate:
    case StopWhy::LeaseEnded:
    case StopWhy::NodeLost:
    case StopWhy::LaunchUndone:
      if (!e.job.spec->requeue)
        return "the job ends NODE_FAIL at " + moment + ", because of --no-requeue";
      [[fallthrough]];
    case StopWhy::Requeue: return "the job can start elsewhere from " + moment + " on";
    default: break;
  }
  return "the job waits for it until " + moment;
}

// Returns the node's state and reason as sinfo shows them: " and is down* (drained: bad fan)".
std::string state_text(const Node& node) {
  if (node.responding) return "";  // silent, but not marked down until the next tick, within 1 s
  if (node.reason.empty()) return " and is down*";
  return " and is down* (" + std::string(node.drained ? "drained: " : "") + node.reason + ")";
}

std::string silence_text(const Cluster& cluster, const JobEntry& e, const std::string& node,
                         Now now) {
  const ControllerConfig& config = cluster.config();
  const Milliseconds silent = now.boot - cluster.soft().contact(node).last_contact;
  std::string text = "node " + node + " has been silent for " + seconds_text(silent) +
                     state_text(*cluster.node(node));
  if (Emptied::by_silence(cluster, e.job.id, node)) return text;
  if (config.lease == Milliseconds{0})
    return text +
           "; its lease never ends (lease = \"never\"), so the job waits until the node "
           "answers" +
           fence_text(cluster, node);
  const Wall lease_ends = now.wall + (config.lease - silent);
  const Wall proven = now.wall + (lost_after(config) - silent);
  return text + "; its lease holds until " + moment_text(lease_ends) + ", and " +
         loss_text(e, proven) + fence_text(cluster, node);
}

bool has_client(const JobEntry& e) {
  const Attempt* attempt = e.live_attempt();
  return e.job.spec->form == JobForm::Allocation && !is_without_shell(*e.job.spec) &&
         attempt != nullptr && attempt->stop.why == StopWhy::None;
}

// REQUIRES: the allocation has a client.
Milliseconds client_silence(const Cluster& cluster, JobId id, Boot now) {
  const SoftState& soft = cluster.soft();
  const Boot last_contact = soft.job(id).last_client_contact;
  if (!soft.hears_clients || last_contact == Boot{}) return Milliseconds{0};
  return now - std::max(last_contact, soft.hears_clients_since);
}

std::optional<std::string> client_silence_text(const Cluster& cluster, const JobEntry& e, Now now) {
  constexpr Milliseconds usual_silence{30'000};  // a client sends a request at least every 20 s
  if (!has_client(e)) return std::nullopt;
  const Milliseconds silent = client_silence(cluster, e.job.id, now.boot);
  if (silent <= usual_silence) return std::nullopt;
  const Milliseconds limit = cluster.config().inactive_limit;
  const std::string id = std::to_string(e.job.id.value);
  return "its salloc or srun has sent no request for " + seconds_text(silent) +
         ": if that was killed, `scancel " + id + "` frees the nodes; otherwise the job " +
         (limit == Milliseconds{0} ? "keeps them until its time limit (inactive_limit = \"never\")"
                                   : "is cancelled at " + moment_text(now.wall + (limit - silent)) +
                                         " (inactive_limit)");
}

}  // namespace

void watch_client(Reaction& r, JobId id) {
  const Milliseconds limit = r.cluster().config().inactive_limit;
  if (!has_client(*r.cluster().job(id)) || !r.cluster().soft().hears_clients) return;
  Boot& last_contact = r.soft_state().edit(id).last_client_contact;
  if (last_contact == Boot{}) last_contact = r.now().boot;
  const Milliseconds silent = client_silence(r.cluster(), id, r.now().boot);
  if (limit == Milliseconds{0} || silent <= limit) return;
  stop_attempt(r, id,
               {StopWhy::Cancel, false, 0, r.cluster().config().kill_wait.count(),
                "no contact with its client for " + seconds_text(silent) + " (inactive_limit)"},
               "controller");
}

void watch_silent_nodes(Reaction& r) {
  std::vector<std::string> silent;
  for (const auto& [name, node] : r.cluster().nodes().all())
    if (is_silent(r.cluster(), name, r.now().boot)) silent.push_back(name);
  for (const std::string& name : silent) watch_silent_node(r, name);
}

void on_fence_ended(Reaction& r, const FenceEnded& ended) {
  const std::string& name = ended.order.node;
  const Node* node = r.cluster().node(name);
  if (node == nullptr) return;
  const std::string why =
      printable(std::string_view(ended.why).substr(0, limits::reason_bytes_max));
  NodeContact& live = r.soft_state().edit(name);
  // If the node has sent a message since the run was requested, it may run jobs that started after
  // the power cycle; then the result counts for nothing.
  const bool is_stale = node->responding || live.last_contact >= ended.order.asked;
  if (!ended.succeeded) {
    if (live.fence_asked == ended.order.asked) live.fence_due = r.now().boot + fence_retry;
    r.note_node(name, "fence", "fence_program failed: " + why, "controller");
  } else if (is_stale) {
    r.note_node(name, "fence",
                "the node sent a message while fence_program ran, so it does not count as fenced",
                "controller");
  } else {
    end_fenced_parts(r, name, "fence_program");
  }
}

Acted::Outcome fence_node(Reaction& r, const Caller& caller, const Node& node) {
  const std::string name = node.name;
  if (node.responding || !is_silent(r.cluster(), name, r.now().boot))
    return {name, "",
            Refusal{"node " + name + " responds, so it cannot be fenced",
                    "`cox drain " + name + "` gives it no new work; `cox cancel` ends its jobs"}};
  const std::size_t jobs = static_cast<std::size_t>(std::ranges::count_if(
      r.cluster().jobs().on_node(name),
      [&](JobId id) { return waits_for(*r.cluster().job(id)->live_attempt(), name); }));
  end_fenced_parts(r, name, "user " + caller.user_name);
  return {name,
          "fenced; " + std::to_string(jobs) +
              (jobs == 1 ? " job no longer waits for it" : " jobs no longer wait for it"),
          std::nullopt};
}

std::vector<std::string> silence_lines(const Cluster& cluster, const JobEntry& e, Now now) {
  std::vector<std::string> lines;
  const Attempt* attempt = e.live_attempt();
  if (attempt == nullptr) return lines;
  for (const AttemptNode& n : attempt->nodes) {
    const bool is_away =
        !cluster.node(n.grant.node)->responding || is_silent(cluster, n.grant.node, now.boot);
    if (n.phase != NodePhase::Gone && is_away)
      lines.push_back(silence_text(cluster, e, n.grant.node, now));
  }
  if (auto client = client_silence_text(cluster, e, now)) lines.push_back(std::move(*client));
  return lines;
}

}  // namespace cox
