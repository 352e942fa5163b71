#include "controller/attempt/react_recovery.h"

// After a failover: attempts that nodes run and the database has forgotten, and the time until jobs
// start again.
#include <algorithm>

#include "controller/ledger/lost_attempts.h"

namespace cox {
void report_if_lost(Reaction& r, const std::string& node, AttemptKey key) {
  const Failover* by = loser_of(r.cluster(), key);
  if (by == nullptr) return;
  Failover failover = *by;
  const std::string attempt =
      std::to_string(key.job.value) + "." + std::to_string(key.attempt.value);
  if (std::ranges::find(failover.attempts_lost, attempt) != failover.attempts_lost.end()) return;
  failover.attempts_lost.push_back(attempt);
  const bool is_there = r.cluster().job(key.job) != nullptr;
  const auto place = std::ranges::lower_bound(failover.jobs_lost, key.job);
  if (!is_there && (place == failover.jobs_lost.end() || *place != key.job))
    failover.jobs_lost.insert(place, key.job);
  r.put(std::move(failover));
  if (!is_there) return;
  r.note(key.job, "lost",
         "attempt " + std::to_string(key.attempt.value) + " runs on node " + node +
             ", but the failover of the database has lost it; it is ended",
         "node " + node);
}

void watch_failover(Reaction& r) {
  const Failover* open = r.cluster().failover();
  if (open == nullptr) return;
  // A node whose registration was lost has no row. Its worker sends the new leader a hello within
  // node_timeout, unless it is cut off.
  const ControllerConfig& config = r.cluster().config();
  if (r.now().boot - r.cluster().loaded() < config.node_timeout) return;
  if (!nodes_yet_to_report(r.cluster(), r.now().boot).empty()) return;
  Failover settled = *open;
  settled.settled = r.now().wall;
  r.put(std::move(settled));
  r.ask_for_scheduling();
}

}  // namespace cox
