// What of the cluster's memory is about jobs that wait for others.
#include "common/base/check.h"
#include "controller/state/cluster.h"

namespace cox {

// What nobody knows of any more has ended.
bool Cluster::has_come(const Awaited& awaited) const {
  if (awaited.partners_of != JobId{}) {
    const auto waits = jobs_.find(awaited.partners_of);
    return arrays_.has_ended_among(awaited.job, tasks_of(waits->second.job));
  }
  if (awaited.task < 0 && arrays_.contains(awaited.job))
    return awaited.end ? arrays_.is_over(awaited.job) : arrays_.has_begun(awaited.job);
  const auto row =
      awaited.task < 0 ? std::optional(awaited.job) : arrays_.row_of(awaited.job, awaited.task);
  const auto on = row ? jobs_.find(*row) : jobs_.end();
  return on == jobs_.end() || cox::has_come(awaited, on->second.job);
}

void Cluster::follow_names() {
  if (dependants_.follows_names()) return;
  std::vector<const Job*> unfinished;
  for (const JobId id : unfinished_) unfinished.push_back(&entry(id).job);
  dependants_.follow_names(unfinished);
}

void Cluster::index_dependencies(const Job& job) {
  if (is_singleton(job)) follow_names();
  dependants_.put(job, [this](const Awaited& awaited) { return has_come(awaited); });
  index_in_vain(job);
}

void Cluster::index_in_vain(const Job& job) {
  const bool in_vain = job.state == JobState::Pending && is_hopeless(job);
  if (in_vain && !is_told_in_vain(wait_of(job.id))) {
    hopeless_unrecorded_.insert(job.id);
  } else {
    hopeless_unrecorded_.erase(job.id);
  }
}

}  // namespace cox
