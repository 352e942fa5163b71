#include "controller/ledger/lost_attempts.h"

#include <algorithm>

#include "controller/ledger/site_runs.h"
#include "controller/state/node_health.h"

namespace cox {

AttemptNumber next_attempt(const Cluster& cluster, const JobEntry& entry) {
  const Wall newest = entry.attempts.empty() ? Wall{} : entry.attempts.back().began;
  std::int32_t gap = 0;
  for (const Failover& failover : cluster.failovers())
    if (entry.job.id < failover.first_new_job && newest < failover.found) gap += attempts_lost_max;
  return AttemptNumber{entry.job.attempt.value + 1 + gap};
}

bool may_have_run_unrecorded(const Cluster& cluster, const Attempt& attempt) {
  return std::ranges::any_of(cluster.failovers(), [&](const Failover& failover) {
    return failover.settled == Wall{} && attempt.key.job < failover.first_new_job &&
           attempt.began < failover.found;
  });
}

bool may_have_run(const Cluster& cluster, const Attempt& attempt) {
  return (may_have_run(attempt) && !is_unsent(cluster, attempt)) ||
         may_have_run_unrecorded(cluster, attempt);
}

const Failover* loser_of(const Cluster& cluster, AttemptKey key) {
  const JobEntry* entry = cluster.job(key.job);
  const auto is_it = [&](const Attempt& attempt) { return attempt.key == key; };
  const bool is_known = entry != nullptr && std::ranges::any_of(entry->attempts, is_it);
  if (is_known) return nullptr;
  for (const Failover& failover : cluster.failovers()) {
    if (key.job >= failover.first_new_job) continue;
    // A lower id that is not in memory is of a job that ended long ago, not of a lost one.
    if (entry != nullptr || key.job >= failover.first_lost_job) return &failover;
  }
  return nullptr;
}

namespace {

// Returns whether the node may run attempts that it has not reported. If the lease is 0, leases
// never end; then an administrator drains a silent node to confirm that nothing runs on it.
bool may_run_unknown_work(const Cluster& cluster, const Node& node, Boot now) {
  const NodeContact& live = cluster.soft().contact(node.name);
  if (live.obeys_us || live.fenced > live.last_contact) return false;
  const ControllerConfig& config = cluster.config();
  if (config.lease == Milliseconds{0}) return !node.drained;
  return now - live.last_contact <= lost_after(config);
}

}  // namespace

std::vector<std::string> nodes_yet_to_report(const Cluster& cluster, Boot now) {
  std::vector<std::string> names;
  for (const auto& [name, node] : cluster.nodes().all())
    if (may_run_unknown_work(cluster, node, now)) names.push_back(name);
  return names;
}

}  // namespace cox
