#include "controller/dependants.h"

#include <algorithm>

#include "common/check.h"

namespace cox {

bool has_come(const Awaited& what, const Job& job) {
  if (is_final(job.state)) return true;
  return !what.end && job.started != Wall{};
}

JobName name_of(const Job& job) {
  return {job.spec->user_name, job.spec->name};
}

bool is_singleton(const Job& job) {
  return job.state == JobState::Pending &&
         std::ranges::any_of(job.dependencies, [](const Dependency& term) {
           return term.kind == DependencyKind::Singleton;
         });
}

void Dependants::put(const Job& job, const HasCome& has_come) {
  let_go(job.id);
  for (const bool end : {false, true}) {
    const Awaited own{job.id, end};
    if (waiting_.contains(own) && cox::has_come(own, job)) come_.insert(own);
  }
  put_name(job);
  if (job.state != JobState::Pending) return;
  for (const Dependency& term : job.dependencies) {
    if (term.never || term.kind == DependencyKind::Singleton) continue;
    const Awaited awaited{term.on, term.kind != DependencyKind::After};
    if (!waiting_[awaited].insert(job.id).second) continue;
    wishes_[job.id].push_back(awaited);
    if (has_come(awaited)) come_.insert(awaited);
  }
}

void Dependants::let_go(JobId waiting) {
  const auto wishes = wishes_.extract(waiting);
  if (wishes.empty()) return;
  for (const Awaited& awaited : wishes.mapped()) {
    const auto others = waiting_.find(awaited);
    others->second.erase(waiting);
    if (!others->second.empty()) continue;
    waiting_.erase(others);
    come_.erase(awaited);
  }
}

void Dependants::follow_names(const std::vector<const Job*>& unfinished) {
  CHECK(!follows_names_);
  follows_names_ = true;
  for (const Job* job : unfinished) put_name(*job);
}

void Dependants::put_name(const Job& job) {
  CHECK(follows_names_ || !is_singleton(job));
  if (!follows_names_) return;
  const auto at = names_.try_emplace(name_of(job)).first;
  Named& named = at->second;
  named.waiting.erase(job.id);
  named.unfinished.erase(job.id);
  if (!is_final(job.state)) named.unfinished.insert(job.id);
  if (is_singleton(job)) named.waiting.insert(job.id);
  names_due_.erase(at->first);
  if (named.is_due()) names_due_.insert(at->first);
  if (named.unfinished.empty()) names_.erase(at);
}

std::optional<JobId> Dependants::due() const {
  if (!come_.empty()) return *waiting_.at(*come_.begin()).begin();
  if (!names_due_.empty()) return *names_.at(*names_due_.begin()).waiting.begin();
  return std::nullopt;
}

bool Dependants::is_first(const Job& job) const {
  return *names_.at(name_of(job)).unfinished.begin() == job.id;
}

bool Dependants::is_awaited(JobId id) const {
  return waiting_.contains({id, false}) || waiting_.contains({id, true});
}

}  // namespace cox
