// What time brings: silent nodes, ended leases, launches that take too long, time limits, graces
// that are over, and ended jobs that memory may forget.
#include "controller/react.h"

namespace cox {
namespace {

// From the last renewal until a supervisor has surely stopped its ranks by itself.
Milliseconds lost_after(const ControllerConfig& c) {
  return c.lease + c.lease_grace + c.kill_wait + c.lease_margin;
}

void lose_jobs_on(Reaction& r, const std::string& node, bool lease_passed) {
  for (const JobId id : r.cluster().jobs_on(node)) {
    const JobEntry& e = *r.cluster().job(id);
    const bool launching = e.live_attempt()->went == Wall{};
    if (!lease_passed && !launching && !e.job.spec.no_fence) continue;
    bool there = false;
    for (const auto& n : e.live_attempt()->nodes)
      there = there || (n.grant.node == node && n.phase != NodePhase::Gone);
    if (!there) continue;
    lose_node(r, id, node,
              lease_passed ? "the lease of node " + node + " has passed"
                           : "node " + node + " does not respond");
  }
}

void watch_node(Reaction& r, const Node& node) {
  const ControllerConfig& config = r.cluster().config();
  const Milliseconds silent = r.now().boot - r.cluster().liveness(node.name).heard;
  if (silent <= config.node_timeout) return;
  if (node.responding) {
    Node lost = node;
    lost.responding = false;
    if (!lost.drained)
      lost.reason = "not responding since " + std::to_string(silent.count() / 1000) + " s";
    r.put(lost);
    for (const JobId id : r.cluster().jobs_on(node.name))
      r.note(id, "node", "node " + node.name + " does not respond; its lease still holds",
             "controller");
  }
  const bool passed = config.lease > Milliseconds{0} && silent > lost_after(config);
  lose_jobs_on(r, node.name, passed);
}

void undo_late_launch(Reaction& r, JobId id) {
  const Attempt attempt = *r.cluster().job(id)->live_attempt();
  std::string late;
  for (const auto& n : attempt.nodes) {
    if (n.phase != NodePhase::Preparing) continue;
    late += (late.empty() ? "" : ",") + n.grant.node;
    avoid_node(r, id, n.grant.node);
  }
  stop_attempt(r, id,
               {StopWhy::LaunchUndone, false, 0, r.cluster().config().kill_wait.count(),
                "not prepared in time: " + late},
               "controller");
}

void reach_time_limit(Reaction& r, JobId id, Boot limit) {
  const JobSpec& spec = r.cluster().job(id)->job.spec;
  const auto lead = Milliseconds{limit - r.now().boot};
  const auto wait = std::max(lead, Milliseconds{0});
  stop_attempt(r, id,
               {StopWhy::TimeLimit, wait > Milliseconds{0}, wait.count(),
                r.cluster().config().kill_wait.count(),
                "time limit of " + std::to_string(spec.time_limit_s) + " s reached"},
               "controller");
}

void watch_job(Reaction& r, JobId id) {
  const JobEntry& e = *r.cluster().job(id);
  const Deadlines d = e.deadlines;
  const Boot now = r.now().boot;
  switch (e.job.state) {
    case JobState::Pending:
      if (e.retry_after != Boot{} && e.retry_after <= now) {
        r.beliefs().retry_after(id) = Boot{};
        r.ask_for_scheduling();
      }
      return;
    case JobState::Configuring:
      if (now >= d.prepare) undo_late_launch(r, id);
      return;
    case JobState::Running: {
      if (!d.limit) return;
      const bool asked = e.job.spec.signal.number != 0 || e.job.spec.checkpoint_signal != 0;
      const auto lead = std::chrono::seconds{asked ? e.job.spec.signal.seconds_before : 0};
      if (now >= *d.limit - lead) reach_time_limit(r, id, *d.limit);
      return;
    }
    case JobState::Signaling:
      if (d.grace && now >= *d.grace)
        r.move(id, Trigger::EndBegan, "the time to save is over", "controller");
      return;
    default: return;
  }
}

void forget_old_jobs(Reaction& r) {
  std::vector<JobId> old;
  for (const auto& [id, e] : r.cluster().jobs())
    if (is_final(e.job.state) && r.now().wall - e.job.ended > r.cluster().config().min_job_age)
      old.push_back(id);
  for (const JobId id : old) r.forget(id);
}

}  // namespace

void on_tick(Reaction& r) {
  std::vector<Node> nodes;
  for (const auto& [name, node] : r.cluster().nodes()) nodes.push_back(node);
  for (const auto& node : nodes) watch_node(r, node);
  const std::vector<JobId> ids(r.cluster().unfinished().begin(), r.cluster().unfinished().end());
  for (const JobId id : ids) watch_job(r, id);
  forget_old_jobs(r);
}

}  // namespace cox
