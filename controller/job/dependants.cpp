#include "controller/job/dependants.h"

#include <algorithm>

#include "common/base/check.h"
#include "common/base/limits.h"
#include "common/job/job_ref.h"

namespace cox {

bool has_come(const Awaited& what, const Job& job) {
  if (is_final(job.state)) return true;
  return !what.end && job.started != Wall{};
}

Awaited awaited_by(const Job& waiting, const Dependency& term) {
  if (term.kind == DependencyKind::AfterCorr) return {term.on, -1, true, waiting.id};
  return {term.on, term.task, term.kind != DependencyKind::After, {}};
}

namespace {

bool has_singleton(const std::vector<Dependency>& terms) {
  return std::ranges::find(terms, DependencyKind::Singleton, &Dependency::kind) != terms.end();
}

}  // namespace

JobName name_of(const Job& job) {
  return {job.spec->user_name, job.spec->name};
}

bool is_singleton(const Job& job) {
  return job.state == JobState::Pending && has_singleton(job.dependencies);
}

bool names_singleton(const DependencyWish& wish) {
  return has_singleton(wish.terms);
}

bool takes_any(const ParsedSpec& spec) {
  return spec.terms->dependency.any;
}

bool is_hopeless(const Job& job) {
  const auto never = [](const Dependency& term) { return term.never; };
  if (!takes_any(*job.spec)) return std::ranges::any_of(job.dependencies, never);
  return !job.dependencies.empty() && std::ranges::all_of(job.dependencies, never);
}

SubmittedAs submitted_as(const Job& job) {
  return {is_of_array(job) ? job.array_job : job.id, job.id};
}

void Dependants::put(const Job& job, const HasCome& has_come) {
  let_go(job.id);
  // Updates the index for the jobs that wait for `job` to begin or end. A requeue may also undo its
  // begin or end.
  note_come(job.id, -1, -1, has_come);
  if (is_of_array(job)) {
    note_come(job.array_job, -1, -1, has_come);
    const bool several = has_several_tasks(job);
    if (!several) note_come(job.array_job, job.array_task, job.array_task, has_come);
    if (several && is_final(job.state))
      note_come(job.array_job, 0, limits::array_task_id_max, has_come);
  }
  put_name(job);
  if (job.state != JobState::Pending) return;
  for (const Dependency& term : job.dependencies) {
    if (term.never || term.kind == DependencyKind::Singleton) continue;
    const Awaited awaited = awaited_by(job, term);
    if (!waiting_[awaited].insert(job.id).second) continue;
    wishes_[job.id].push_back(awaited);
    if (has_come(awaited)) come_.insert(awaited);
  }
}

void Dependants::note_come(JobId job, std::int64_t task_least, std::int64_t task_most,
                           const HasCome& has_come) {
  for (auto at = waiting_.lower_bound({job, task_least, false, {}}); at != waiting_.end(); ++at) {
    if (at->first.job != job || at->first.task > task_most) return;
    if (has_come(at->first)) {
      come_.insert(at->first);
    } else {
      come_.erase(at->first);
    }
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
  const SubmittedAs place = submitted_as(job);
  named.waiting.erase(place);
  named.unfinished.erase(place);
  if (!is_final(job.state)) named.unfinished.insert(place);
  if (is_singleton(job)) named.waiting.insert(place);
  names_due_.erase(at->first);
  if (named.is_due()) names_due_.insert(at->first);
  if (named.unfinished.empty()) names_.erase(at);
}

std::optional<JobId> Dependants::due() const {
  if (!come_.empty()) return *waiting_.at(*come_.begin()).begin();
  if (!names_due_.empty()) return names_.at(*names_due_.begin()).waiting.begin()->second;
  return std::nullopt;
}

bool Dependants::is_first(const Job& job) const {
  return names_.at(name_of(job)).unfinished.begin()->first == submitted_as(job).first;
}

const std::set<SubmittedAs>& Dependants::unfinished_of(const JobName& name) const {
  static const std::set<SubmittedAs> none;
  const auto at = names_.find(name);
  return at == names_.end() ? none : at->second.unfinished;
}

bool Dependants::is_awaited(JobId id) const {
  const auto at = waiting_.lower_bound({id, -1, false, {}});
  return at != waiting_.end() && at->first.job == id;
}

}  // namespace cox
