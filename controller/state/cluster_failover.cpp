// What the cluster knows of failovers of the database.
#include <algorithm>

#include "common/base/check.h"
#include "controller/state/cluster.h"

namespace cox {

void Cluster::never_issue(JobId id) {
  above_told_ = std::max(above_told_, JobId{id.value + 1});
  next_job_ = std::max(next_job_, above_told_);
}

const Failover* Cluster::failover() const {
  const auto last = std::ranges::find(failovers_, Wall{}, &Failover::settled);
  return last == failovers_.end() ? nullptr : &*last;
}

void Cluster::apply_one(const FailoverTold& change, Now) {
  const auto known = std::ranges::find(failovers_, change.failover.term, &Failover::term);
  CHECK(known != failovers_.end());
  *known = change.failover;
}

}  // namespace cox
