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

void Patience::add(const PendingJob& job) {
  const auto end = patience_ends(job);
  if (!end) return;
  waiting_.emplace(*end, job.id);
  ends_.emplace(job.id, *end);
}

void Patience::forget(JobId id) {
  const auto end = ends_.find(id);
  if (end == ends_.end()) return;
  waiting_.erase({end->second, id});
  ends_.erase(end);
}

std::vector<JobId> Patience::remove_expired(Wall now) {
  std::vector<JobId> lost;
  while (!waiting_.empty() && waiting_.begin()->first <= now) {
    lost.push_back(waiting_.begin()->second);
    ends_.erase(lost.back());
    waiting_.erase(waiting_.begin());
  }
  return lost;
}

}  // namespace cox::schedule
