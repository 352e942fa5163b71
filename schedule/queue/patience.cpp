#include "schedule/queue/patience.h"

#include "schedule/model/any_switches.h"

namespace cox::schedule {

Shared<Request> on_any_switches(const Request& request) {
  Request any = request;
  any.switches = 0;
  any.switches_wait = Milliseconds{0};
  if (request.otherwise) any.otherwise = on_any_switches(**request.otherwise);
  return any;
}

std::optional<Wall> patience_ends(const PendingJob& job) {
  const Request& request = *job.request;
  if (request.switches == 0 || request.switches_wait == Milliseconds{0}) return std::nullopt;
  return job.eligible + request.switches_wait;
}

std::optional<Wall> Patience::ends(const PendingJob& job) {
  return patience_ends(job);
}

void Patience::add(const PendingJob& job) {
  const auto end = ends(job);
  if (!end) return;
  waiting_.emplace(*end, job.id);
  jobs_.emplace(job.id, job);
}

std::vector<Patience::Change> Patience::lose(Wall now) {
  std::vector<Change> changes;
  while (!waiting_.empty() && waiting_.begin()->first <= now) {
    PendingJob& job = jobs_.at(waiting_.begin()->second);
    waiting_.erase(waiting_.begin());
    Change change{job, job};
    change.after.request = on_any_switches(*job.request);
    job = change.after;
    changes.push_back(std::move(change));
  }
  return changes;
}

PendingJob Patience::set_copies(const PendingJob& job, std::int64_t copies) {
  const auto known = jobs_.find(job.id);
  if (known == jobs_.end()) return job;
  known->second.copies = copies;
  return known->second;
}

PendingJob Patience::forget(const PendingJob& job) {
  const auto known = jobs_.find(job.id);
  if (known == jobs_.end()) return job;
  PendingJob stands = known->second;
  if (const auto end = ends(job)) waiting_.erase({*end, job.id});
  jobs_.erase(known);
  return stands;
}

}  // namespace cox::schedule
