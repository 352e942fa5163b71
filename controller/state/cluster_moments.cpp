// What of the cluster's memory is by the time of day.
#include <algorithm>

#include "controller/state/cluster.h"
#include "controller/state/engine_input.h"
#include "controller/state/requeue.h"

namespace cox {

void Cluster::forget_moments() {
  begins_.clear();
  put_off_.clear();
  latest_starts_.clear();
}

void Cluster::index_moments(JobEntry& e, Now now) {
  const JobSpec& spec = *e.job.spec;
  const bool waits = e.job.state == JobState::Pending;
  begins_.erase({e.begins, e.job.id});
  // After the clock was set back, a job that did not ask for a later time is kept out only for as
  // long as a requeued one. A job in the line stays there: an array may merely lose a task.
  const bool asked = spec.begin != Wall{} || spec.dependency.find('+') != std::string::npos;
  const Milliseconds left = e.job.eligible - now.wall;
  const bool is_put_off = left > Milliseconds{0} && (asked || left <= requeue_after_end_delay);
  e.begins = waits && is_put_off && !e.in_line ? e.job.eligible : Wall{};
  put_off_.erase(e.job.id);
  if (e.begins != Wall{}) begins_.emplace(e.begins, e.job.id);
  if (e.begins != Wall{} && !asked) put_off_[e.job.id] = now.boot + left;
  if (spec.deadline == Wall{}) return;
  const std::pair latest{latest_start(spec), e.job.id};
  if (waits) {
    latest_starts_.insert(latest);
  } else {
    latest_starts_.erase(latest);
  }
}

}  // namespace cox
