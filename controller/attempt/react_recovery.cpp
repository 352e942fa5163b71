#include "controller/attempt/react_recovery.h"

// After a failover: what nodes have and the database has forgotten, and until when nothing starts.
#include <algorithm>

#include "controller/ledger/lost_attempts.h"

namespace cox {
void tell_if_lost(Reaction& r, const std::string& node, AttemptKey key) {
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
             ", of which the database knows nothing since its failover; it is ended",
         "node " + node);
}

void watch_failover(Reaction& r) {
  const Failover* open = r.cluster().failover();
  if (open == nullptr) return;
  // A node that registered within what was lost is in no row. It says hello to whoever leads within
  // moments, unless it is cut off as well.
  const ControllerConfig& config = r.cluster().config();
  if (r.now().boot - r.cluster().loaded() < config.node_timeout) return;
  if (!nodes_yet_to_tell(r.cluster(), r.now().boot).empty()) return;
  Failover settled = *open;
  settled.settled = r.now().wall;
  r.put(std::move(settled));
  r.ask_for_scheduling();
}

}  // namespace cox
