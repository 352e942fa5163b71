// What of the cluster's memory is about job arrays as wholes.
#include <algorithm>

#include "common/base/check.h"
#include "controller/state/cluster.h"
#include "controller/state/engine_input.h"

namespace cox {

// Memory forgets the tasks of an array together, so that it is known what became of all.
void Cluster::index_end(JobEntry& e) {
  const auto file = [this](JobEntry& one, Wall ended) {
    ended_.erase({one.ended_with, one.job.id});
    one.ended_with = ended;
    ended_.emplace(ended, one.job.id);
  };
  if (!is_of_array(e.job)) return file(e, e.job.ended);
  if (!arrays_.is_over(e.job.array_job) || e.ended_with != Wall{}) return;
  const auto rows = arrays_.rows(e.job.array_job);
  Wall latest{};
  for (const JobId id : rows) latest = std::max(latest, entry(id).job.ended);
  for (const JobId id : rows) file(entry(id), latest);
}

// A job that had ended waits again: neither it nor the other tasks of its array are forgotten.
void Cluster::index_reopened(JobEntry& e) {
  if (e.ended_with == Wall{}) return;
  const auto lift = [this](JobEntry& one) {
    ended_.erase({one.ended_with, one.job.id});
    one.ended_with = Wall{};
  };
  if (!is_of_array(e.job)) return lift(e);
  for (const JobId id : arrays_.rows(e.job.array_job)) lift(entry(id));
}

// Whoever looks at an array sees what becomes of its tasks.
void Cluster::touch(JobEntry& e) {
  e.change_count = ++changes_applied_;
  e.recorded = std::max(e.recorded, e.newest_moment());
  if (!is_of_array(e.job)) return;
  if (const auto first = jobs_.find(e.job.array_job); first != jobs_.end())
    first->second.change_count = changes_applied_;
}

// It leaves the line, unless it only loses tasks; a pass may be amid them.
void Cluster::keep_place(JobEntry& e, const Job& job) {
  Job same = job;
  same.array_task = e.job.array_task;
  same.array_tasks = e.job.array_tasks;
  if (!e.in_line || same != e.job) return leave_line(e);
  scheduler_->engine().set_copies(pending_job(*this, e), task_count(job));
}

// Rows of an array whose limit on its tasks has changed, but for the one that says it.
std::vector<JobId> Cluster::others_limited_by(const Job& before, const Job& after) const {
  std::vector<JobId> others;
  if (before.array_limit == after.array_limit) return others;
  for (const JobId id : arrays_.unfinished(before.array_job))
    if (id != before.id) others.push_back(id);
  return others;
}

}  // namespace cox
