#include "controller/attempt/react_health.h"

// Drains, avoids and resumes nodes by the rules that node_health.h defines.
#include <cmath>

#include "common/base/limits.h"
#include "common/base/text.h"
#include "controller/ledger/outcome.h"
#include "controller/state/node_health.h"

namespace cox {
namespace {

void undrain(Reaction& r, Node node, const std::string& why, const std::string& actor) {
  node.drained = node.set_down = false;
  node.drained_by = DrainedBy::Nobody;
  node.reason_by.clear();
  if (node.responding) node.reason.clear();
  r.note_node(node.name, "resumed", why, actor);
  r.put(std::move(node));
}

// Returns whether only a person can resume the node.
bool waits_for_person(DrainedBy by) {
  return by == DrainedBy::Person || by == DrainedBy::KillTask || by == DrainedBy::PrologEpilog;
}

// Drains the node if its failures have reached the limit. At most a quarter of the nodes are
// drained for failures; others are only avoided.
void drain_for_failures(Reaction& r, const std::string& node, const std::string& why) {
  const Node& known = *r.cluster().node(node);
  if (known.drained || !is_to_be_drained(known, r.cluster().config(), r.now().wall)) return;
  if (!may_drain_one_more(r.cluster().nodes().all())) return;
  const auto score = std::lround(failure_score(known, r.now().wall));
  drain_node(r, node, DrainedBy::Failures,
             std::to_string(score) + " failures lately, the last: " + why, "controller");
}

}  // namespace

void drain_node(Reaction& r, const std::string& node, DrainedBy by, const std::string& reason,
                const std::string& actor) {
  const Node& known = *r.cluster().node(node);
  const bool yields = known.drained_by == DrainedBy::Nobody || by == DrainedBy::Person ||
                      (waits_for_person(by) && !waits_for_person(known.drained_by)) ||
                      by == known.drained_by;
  if (!yields || (known.drained_by == by && known.reason == reason)) return;
  Node drained = known;
  drained.drained = true;
  drained.drained_by = by;
  drained.reason = reason;
  drained.reason_by = actor;
  r.put(std::move(drained));
  r.note_node(node, "drained", reason, actor);
}

void blame_node(Reaction& r, const std::string& node, JobId culprit, const std::string& why) {
  if (r.cluster().node(node) == nullptr) return;
  Node blamed = *r.cluster().node(node);
  if (!note_failure(blamed, culprit, r.now().wall)) return;
  r.put(std::move(blamed));
  r.note_node(node, "failure", why, "controller");
  drain_for_failures(r, node, why);
  update_avoided(r);
}

void take_unfit(Reaction& r, const std::string& node, const std::optional<std::string>& unfit) {
  if (!unfit) return;
  const std::string reason =
      printable(std::string_view(*unfit).substr(0, limits::reason_bytes_max));
  r.soft_state().edit(node).unfit = reason;
  const Node& known = *r.cluster().node(node);
  if (!reason.empty()) {
    drain_node(r, node, DrainedBy::HealthCheck, reason, "node " + node);
  } else if (known.drained_by == DrainedBy::HealthCheck) {
    undrain(r, known, "its health check passes", "node " + node);
  }
}

void let_return(Reaction& r, const std::string& node) {
  const Node& known = *r.cluster().node(node);
  if (known.responding) return;
  const std::int64_t wanted = beats_required(known, r.cluster().config(), r.now().wall);
  Node back = known;
  if (r.cluster().soft().contact(node).good_beats < wanted) {
    back.reason = returning_begins;
    back.reason += "needs " + std::to_string(wanted) + " good heartbeats in a row";
    if (!back.drained && !(back == known)) r.put(std::move(back));
    return;
  }
  back.responding = true;
  if (!back.drained) back.reason.clear();
  note_return(back, r.now().wall);
  r.put(std::move(back));
  r.note_node(node, "returned", std::to_string(wanted) + " good heartbeats in a row", "controller");
}

void update_avoided(Reaction& r) {
  for (const auto& [name, node] : r.cluster().nodes().all()) {
    const bool avoided = is_to_be_avoided(node, r.cluster().config(), r.now().wall);
    if (r.cluster().soft().contact(name).avoided == avoided) continue;
    r.soft_state().edit(name).avoided = avoided;
    r.availability_changed(name);
  }
}

bool hold_unlaunchable(Reaction& r, JobId id, const Attempt& attempt) {
  const Job job = r.cluster().job(id)->job;
  const auto why = why_launch_fails_everywhere(r.cluster(), job, attempt);
  if (!why) return false;
  r.edit(id, [&](Job& j) {
    j.held = true;
    j.held_why = *why;
  });
  r.note(id, "hold", *why, "controller");
  const JobId culprit = culprit_of(job);
  for (const std::string& name : job.avoid_nodes) {
    const Node* known = r.cluster().node(name);
    if (known == nullptr) continue;
    Node node = *known;
    if (!forgive(node, culprit)) continue;
    const std::string fault = "job " + std::to_string(culprit.value) + " fails everywhere";
    r.note_node(name, "forgiven", fault, "controller");
    if (node.drained_by == DrainedBy::Failures &&
        !is_to_be_drained(node, r.cluster().config(), r.now().wall)) {
      undrain(r, std::move(node), fault, "controller");
    } else {
      r.put(std::move(node));
    }
  }
  update_avoided(r);
  return true;
}

void take_site_error(Reaction& r, const std::string& node, const AttemptStatus& status) {
  if (status.site_error.empty() || r.cluster().node(node) == nullptr) return;
  const std::string reason =
      printable(std::string_view(status.site_error).substr(0, limits::reason_bytes_max));
  drain_node(r, node, DrainedBy::PrologEpilog, reason, "node " + node);
}

void take_kill_failure(Reaction& r, JobId id, const std::string& node,
                       const AttemptStatus& status) {
  if (status.kill_failure == KillFailure::None || status.phase == NodePhase::Gone) return;
  const JobEntry& entry = *r.cluster().job(id);
  Attempt attempt = *entry.live_attempt();
  for (AttemptNode& part : attempt.nodes) {
    if (part.grant.node != node || part.phase == NodePhase::Gone) continue;
    drain_node(r, node, DrainedBy::KillTask, kill_failed, "node " + node);
    const PreemptMode mode = r.cluster().accounting().qos_of(entry).preempt_mode;
    const Outcome outcome = outcome_of(entry.job, attempt, mode, {entry.checkpoints, entry.steps});
    // The job would start again while this attempt still runs, so the node keeps its part.
    if (status.kill_failure == KillFailure::Runs && outcome.trigger == Trigger::Requeued) return;
    part.phase = NodePhase::Gone;
    part.note = kill_failed;
    r.put(attempt);
    r.note(id, "node",
           std::string(kill_failed) + " on node " + node + ": its resources there stay allocated",
           "node " + node);
    r.soft_state().edit(node).ends_foreign = true;
    r.availability_changed(node);
    return;
  }
}

}  // namespace cox
