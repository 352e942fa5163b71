#include "controller/state/eligibility.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <vector>

#include "common/base/check.h"
#include "controller/job/requeue.h"
#include "controller/state/time_of_day.h"

namespace cox {
namespace {

// Returns whether a dependency has a delay in minutes ("after:7+10"). True also if the dependency
// cannot be parsed, since it may have one.
bool waits_for_minutes(const ParsedSpec& spec) {
  const std::vector<Dependency>& terms = spec.terms->dependency.terms;
  if (terms.empty()) return !spec.dependency.empty();
  return std::ranges::any_of(terms, [](const Dependency& term) { return term.delay_s > 0; });
}

// Returns how long the job may have to wait after a requeue, or after a job on which it depends has
// begun. That moment may be of another controller's clock, which differs within its bound. A
// dependency that cannot be parsed may have any delay.
Milliseconds longest_delay(const ParsedSpec& spec) {
  const std::vector<Dependency>& terms = spec.terms->dependency.terms;
  if (terms.empty() && waits_for_minutes(spec)) return Milliseconds::max();
  Milliseconds longest = requeue_after_end_delay;
  for (const Dependency& term : terms)
    if (term.delay_s > 0)
      longest = std::max(longest, std::chrono::seconds{term.delay_s} + TimeOfDay::off_max);
  return longest;
}

void keep_if(std::set<JobId>& ids, JobId id, bool is_one) {
  if (is_one) {
    ids.insert(id);
  } else {
    ids.erase(id);
  }
}

// Returns whether the job waits for its own begin time (--begin).
bool asked_for_it(const Job& job) {
  return job.eligible <= job.spec->begin;
}

}  // namespace

Wall begins_at(const Job& job, Wall now) {
  const bool is_explained = asked_for_it(job) || job.eligible - now <= longest_delay(*job.spec);
  return is_explained ? job.eligible : job.spec->begin;
}

void Eligibility::clear() {
  begins_.clear();
  begin_times_.clear();
  put_off_.clear();
  latest_starts_.clear();
  dependants_ = {};
  hopeless_unrecorded_.clear();
  kept_out_.clear();
}

void Eligibility::index(JobEntry& e) {
  index_dependencies(e.job);
  index_partitions(e);
}

void Eligibility::index_moments(JobEntry& e, Now now) {
  const ParsedSpec& spec = *e.job.spec;
  const bool waits = e.job.state == JobState::Pending;
  if (e.waits_to_begin) forget_begin(e);
  const Wall begin = begins_at(e.job, now.wall);
  e.waits_to_begin = waits && begin > now.wall;
  if (e.waits_to_begin) {
    begins_.emplace(begin, e.job.id);
    begin_times_[e.job.id] = begin;
    if (!asked_for_it(e.job) && begin == e.job.eligible)
      put_off_[e.job.id] = now.boot + (begin - now.wall);
  }
  if (spec.deadline == Wall{}) return;
  const std::pair latest{latest_start(spec), e.job.id};
  if (waits) {
    latest_starts_.insert(latest);
  } else {
    latest_starts_.erase(latest);
  }
}

void Eligibility::index_partitions(JobEntry& e) {
  e.kept_out = e.job.state == JobState::Pending && partitions_.is_closed_to(*e.job.spec);
  keep_if(kept_out_, e.job.id, e.kept_out);
}

void Eligibility::index_dependencies(const Job& job) {
  if (is_singleton(job)) follow_names();
  dependants_.put(job, [this](const Awaited& awaited) { return has_come(awaited); });
  index_hopeless(job);
}

void Eligibility::index_hopeless(const Job& job) {
  const bool is_pending_in_vain = job.state == JobState::Pending && is_hopeless(job);
  keep_if(hopeless_unrecorded_, job.id,
          is_pending_in_vain && !is_never_satisfied(waits_.of(job.id)));
}

void Eligibility::forget_spec(const JobEntry& e) {
  if (e.job.spec->deadline != Wall{}) latest_starts_.erase({latest_start(*e.job.spec), e.job.id});
  // A job that is indexed as ended is removed from the index by name.
  Job gone = e.job;
  gone.state = JobState::Cancelled;
  gone.dependencies.clear();
  index_dependencies(gone);
}

void Eligibility::let_begin(JobEntry& e) {
  CHECK(e.waits_to_begin);
  forget_begin(e);
}

std::optional<Wall> Eligibility::begin_time(JobId id) const {
  const auto time = begin_times_.find(id);
  return time == begin_times_.end() ? std::nullopt : std::optional(time->second);
}

std::vector<JobId> Eligibility::due_by_boot(Now now) const {
  std::vector<JobId> due;
  for (const auto& [id, until] : put_off_) {
    if (until > now.boot) continue;
    // The moment from which some minutes count may be of another controller's clock.
    const bool may_differ = waits_for_minutes(*jobs_.find(id)->job.spec);
    if (!may_differ || begin_times_.at(id) - now.wall > TimeOfDay::off_max) due.push_back(id);
  }
  return due;
}

void Eligibility::forget_begin(JobEntry& e) {
  const auto time = begin_times_.find(e.job.id);
  begins_.erase({time->second, e.job.id});
  begin_times_.erase(time);
  put_off_.erase(e.job.id);
  e.waits_to_begin = false;
}

void Eligibility::follow_names() {
  if (dependants_.follows_names()) return;
  std::vector<const Job*> unfinished;
  for (const JobId id : jobs_.unfinished()) unfinished.push_back(&jobs_.find(id)->job);
  dependants_.follow_names(unfinished);
}

// Returns whether the awaited begin or end has happened. A job that memory has forgotten has ended.
bool Eligibility::has_come(const Awaited& awaited) const {
  const Arrays& arrays = jobs_.arrays();
  if (awaited.partners_of != JobId{})
    return arrays.has_ended_among(awaited.job, tasks_of(jobs_.find(awaited.partners_of)->job));
  if (awaited.task < 0 && arrays.contains(awaited.job))
    return awaited.end ? arrays.is_over(awaited.job) : arrays.has_begun(awaited.job);
  const auto row =
      awaited.task < 0 ? std::optional(awaited.job) : arrays.row_of(awaited.job, awaited.task);
  const JobEntry* on = row ? jobs_.find(*row) : nullptr;
  return on == nullptr || cox::has_come(awaited, on->job);
}

}  // namespace cox
