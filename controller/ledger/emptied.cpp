#include "controller/ledger/emptied.h"

#include "common/job/attempt.h"
#include "controller/ledger/lost_attempts.h"
#include "controller/ledger/site_runs.h"
#include "controller/state/node_health.h"

namespace cox {

std::optional<Emptied> Emptied::by_lease(const Cluster& cluster, const std::string& node,
                                         Boot now) {
  const ControllerConfig& config = cluster.config();
  const Milliseconds silent = now - cluster.soft().contact(node).last_contact;
  if (config.lease == Milliseconds{0} || silent <= lost_after(config)) return std::nullopt;
  return Emptied("the lease of node " + node + " has ended");
}

std::optional<Emptied> Emptied::by_fence(const Cluster& cluster, const std::string& node,
                                         const std::string& by) {
  const NodeContact& live = cluster.soft().contact(node);
  if (live.fenced <= live.last_contact) return std::nullopt;
  return Emptied("node " + node + " was fenced by " + by);
}

std::optional<Emptied> Emptied::by_silence(const Cluster& cluster, JobId id,
                                           const std::string& node) {
  const JobEntry& entry = *cluster.job(id);
  if (may_have_run(cluster, *entry.live_attempt()) && !entry.job.spec->no_fence)
    return std::nullopt;
  return Emptied("node " + node + " does not respond");
}

std::optional<Emptied> Emptied::by_reboot(const Cluster& cluster, JobId id, const std::string& node,
                                          bool has_rebooted) {
  const Attempt& attempt = *cluster.job(id)->live_attempt();
  if (!has_rebooted || !starts_without_go(attempt.nodes.size()) || is_unsent(cluster, attempt))
    return std::nullopt;
  return Emptied("node " + node + " has rebooted");
}

std::optional<Emptied> Emptied::by_list(const Cluster& cluster, const std::string& node,
                                        const std::string& what) {
  if (!cluster.soft().contact(node).obeys_us) return std::nullopt;
  return Emptied("node " + node + " " + what);
}

}  // namespace cox
