#include "tests/sim/dependency_judge.h"

#include <algorithm>

#include "common/job/job_ref.h"

namespace cox::sim {
namespace {

// The longest virtual time that a job may stay PENDING with a dependency that is already decided
// (met, or never to be met). The controller acts in the turn that decides it, or in the next one if
// the database rejected that turn.
constexpr Milliseconds overdue_max{5'000};

bool takes_any(const JobSpec& spec) {
  return spec.dependency.find('?') != std::string::npos;
}

bool has_begun(const Job& job) {
  return is_final(job.state) || job.started != Wall{};
}

const Dependency* find(const std::vector<Dependency>& terms, const Dependency& term) {
  const auto at = std::ranges::find_if(terms, [&](const Dependency& one) {
    return one.kind == term.kind && one.on == term.on && one.task == term.task;
  });
  return at == terms.end() ? nullptr : &*at;
}

}  // namespace

void DependencyJudge::see(const Change& change, Wall at) {
  // A controller whose clock is years behind may have waited by the boot clock.
  const Wall latest = scene_.is_years_off(at) ? std::max(at, scene_.wall()) : at;
  std::visit([&](const auto& c) { see_one(c, latest); }, change);
}

// Returns the dependencies that the user asked for. aftercorr holds task by task if both jobs are
// arrays; otherwise it is returned as afterok.
std::vector<Dependency> DependencyJudge::dependencies_of(const Job& job) const {
  const auto wish = parse_dependency(job.spec->dependency);
  if (job.spec->dependency.empty() || !wish) return {};
  std::vector<Dependency> terms = wish->terms;
  for (Dependency& term : terms) {
    const auto on = books_.jobs.find(term.on);
    const bool both = is_of_array(job) && on != books_.jobs.end() && is_of_array(on->second);
    if (term.kind == DependencyKind::AfterCorr && !both) term.kind = DependencyKind::AfterOk;
  }
  return terms;
}

// ---- outcome of the jobs depended on -----------------------------------------------------------

std::vector<const Job*> DependencyJudge::awaited_by(const Job& job, const Dependency& term) const {
  std::vector<const Job*> awaited;
  for (const auto& [id, one] : books_.jobs) {
    if (!is_of_array(one)) {
      if (id == term.on) awaited.push_back(&one);
      continue;
    }
    if (one.array_job != term.on) continue;
    const ArrayTasks tasks = tasks_of(one);
    const bool by_task = term.kind == DependencyKind::AfterCorr;
    const bool is_awaited = by_task ? !tasks.common_with(tasks_of(job)).empty()
                                    : term.task < 0 || tasks.contains(term.task);
    if (is_awaited) awaited.push_back(&one);
  }
  return awaited;
}

// For --dependency=singleton: returns Met if no older job of the same user and name is live,
// otherwise Open.
DependencyJudge::Fate DependencyJudge::fate_by_name(const Job& job, JobId older_than) const {
  for (const auto& [id, one] : books_.jobs) {
    // A row that is split off an array gets its id late, but its tasks were submitted with the
    // array.
    const JobId submitted = is_of_array(one) ? one.array_job : id;
    if (submitted < older_than && !is_final(one.state) && one.spec->name == job.spec->name &&
        one.spec->user_name == job.spec->user_name)
      return Fate::Open;
  }
  return Fate::Met;
}

// Returns the earliest start that `after` allows: the delay of the dependency after the first of
// these jobs began. REQUIRES: all of them have begun.
Wall DependencyJudge::may_follow(const std::vector<const Job*>& awaited,
                                 const Dependency& term) const {
  Wall first = Wall::max();
  for (const Job* one : awaited) first = std::min(first, begun_.at(one->id));
  return awaited.empty() ? Wall{} : first + std::chrono::seconds{term.delay_s};
}

DependencyJudge::Fate DependencyJudge::fate_of(const Job& job, const Dependency& term,
                                               Wall at) const {
  if (term.kind == DependencyKind::Singleton)
    return fate_by_name(job, is_of_array(job) ? job.array_job : job.id);
  const auto awaited = awaited_by(job, term);
  const bool begun = std::ranges::all_of(awaited, [](const Job* one) { return has_begun(*one); });
  const bool ended =
      std::ranges::all_of(awaited, [](const Job* one) { return is_final(one->state); });
  const bool well = std::ranges::all_of(
      awaited, [](const Job* one) { return one->state == JobState::Completed; });
  switch (term.kind) {
    case DependencyKind::After:
      return begun && at >= may_follow(awaited, term) ? Fate::Met : Fate::Open;
    case DependencyKind::AfterAny: return ended ? Fate::Met : Fate::Open;
    case DependencyKind::AfterOk:
    case DependencyKind::AfterCorr: return !ended ? Fate::Open : well ? Fate::Met : Fate::Never;
    case DependencyKind::AfterNotOk: return !ended ? Fate::Open : well ? Fate::Never : Fate::Met;
    case DependencyKind::Singleton: break;
  }
  return Fate::Open;
}

DependencyJudge::Fate DependencyJudge::fate_of_whole(const Job& job, Wall at) const {
  std::size_t met_count = 0;
  std::size_t never = 0;
  const auto terms = dependencies_of(job);
  for (const Dependency& term : terms) {
    const Fate fate = fate_of(job, term, at);
    met_count += fate == Fate::Met ? 1 : 0;
    never += fate == Fate::Never ? 1 : 0;
  }
  if (takes_any(*job.spec)) {
    if (met_count > 0) return Fate::Met;
    return never == terms.size() ? Fate::Never : Fate::Open;
  }
  if (never > 0) return Fate::Never;
  return met_count == terms.size() ? Fate::Met : Fate::Open;
}

// ---- changes of the store ----------------------------------------------------------------------

void DependencyJudge::see_one(const JobAdded& change, Wall at) {
  const Job& job = change.job;
  const bool is_part = is_of_array(job) && job.array_job != job.id;
  if (is_part) return split_off(job);
  check_dependencies(job, dependencies_of(job), at);
}

// Checks that a row split off an array job has the same dependencies as the row it came from.
void DependencyJudge::split_off(const Job& part) {
  for (const auto& [id, whole] : books_.jobs) {
    if (whole.array_job != part.array_job || is_final(whole.state)) continue;
    if (!tasks_of(part).without(tasks_of(whole)).empty()) continue;
    if (whole.dependencies != part.dependencies)
      violated(part, "has other dependencies than the row that it was split from");
    return;
  }
}

// Compares the job's dependencies with those before the change. None may be new. One newly marked
// as "never" must be impossible to meet. One that is gone must be met, unless the job needs only
// one of them and has it, or is cancelled because they can never be met.
void DependencyJudge::check_dependencies(const Job& job, const std::vector<Dependency>& before,
                                         Wall at) {
  for (const Dependency& term : job.dependencies) {
    const Dependency* known = find(before, term);
    if (known == nullptr) {
      violated(job, "has a dependency that it did not have before");
      continue;
    }
    const bool marked = term.never && !known->never;
    if (known->never && !term.never)
      violated(job, "waits again for a dependency that was marked as never met");
    if (marked && fate_of(job, term, at) != Fate::Never)
      violated(job,
               "has a dependency marked as never met that can still be met: " + text_of(term.on));
  }
  const Fate whole = fate_of_whole(job, at);
  const bool any = takes_any(*job.spec) && whole == Fate::Met;
  const bool given_up = job.state == JobState::Cancelled && whole == Fate::Never;
  for (const Dependency& term : before) {
    if (find(job.dependencies, term) != nullptr || any || given_up) continue;
    // A dependency with a delay is dropped when it is met but for the delay; from then on the job's
    // row has the time at which the job becomes eligible.
    Dependency begun = term;
    begun.delay_s = 0;
    if (fate_of(job, begun, at) != Fate::Met)
      violated(job,
               "no longer depends on " + text_of(term.on) + ", but that dependency is not met");
  }
}

void DependencyJudge::see_one(const JobChanged& change, Wall at) {
  const Job& job = change.job;
  // A job that began by a clock that was years ahead counts as begun now, at the latest.
  const auto earliest = [this](Wall at) {
    return scene_.is_years_off(at) ? std::min(at, scene_.wall()) : at;
  };
  if (job.started != Wall{}) begun_.try_emplace(job.id, earliest(job.started));
  if (is_final(job.state)) begun_.try_emplace(job.id, earliest(job.ended));
  const auto before = books_.jobs.find(job.id);
  if (before == books_.jobs.end()) return;
  if (is_final(before->second.state) && job.state == JobState::Pending)
    requeued_by_user_.insert(job.id);
  check_dependencies(job, before->second.dependencies, at);
  const bool in_vain = job.why->starts_with("waits in vain");
  if (job.state != JobState::Cancelled || !in_vain) return;
  if (!job.spec->kill_on_invalid_dependency.value_or(false))
    violated(job, "ends because of a dependency without --kill-on-invalid-dep");
  if (fate_of_whole(job, at) != Fate::Never)
    violated(job, "ends because of a dependency that can still be met");
}

bool DependencyJudge::waits_for_requeued(const Job& job) const {
  const auto is_wanted = [&](const Job* one) { return requeued_by_user_.contains(one->id); };
  const auto bears_the_name = [&](JobId id) {
    const JobSpec& other = *books_.jobs.at(id).spec;
    return other.name == job.spec->name && other.user_name == job.spec->user_name;
  };
  return std::ranges::any_of(dependencies_of(job), [&](const Dependency& term) {
    if (term.kind == DependencyKind::Singleton)
      return std::ranges::any_of(requeued_by_user_, bears_the_name);
    return std::ranges::any_of(awaited_by(job, term), is_wanted);
  });
}

void DependencyJudge::see_one(const AttemptAdded& change, Wall at) {
  const auto at_job = books_.jobs.find(change.attempt.key.job);
  if (at_job == books_.jobs.end()) return;
  const Job& job = at_job->second;
  if (!job.dependencies.empty()) violated(job, "starts while its row has dependencies");
  if (waits_for_requeued(job)) return;  // the job depended on was requeued after its end
  if (fate_of_whole(job, at) != Fate::Met)
    violated(job, "starts before its dependencies are met: " + job.spec->dependency);
}

void DependencyJudge::see_one(const EventAdded& change, Wall) {
  const JobEvent& event = change.event;
  if (event.what != "dependency" || event.why != "its dependencies are met") return;
  if (++fired_[event.job] > 1)
    scene_.story.violated(text_of(event.job) + " is released twice from its dependencies");
}

// ---- forgotten jobs ----------------------------------------------------------------------------

bool DependencyJudge::is_decided(const Job& job, const Dependency& term, Wall at) const {
  if (term.never) return false;  // the row already has it as never to be met
  if (term.kind != DependencyKind::AfterCorr) return fate_of(job, term, at) != Fate::Open;
  const auto partners = awaited_by(job, term);
  return std::ranges::any_of(partners, [](const Job* one) { return is_final(one->state); });
}

void DependencyJudge::restore_from(const DependencyJudge& then) {
  begun_ = then.begun_;
  fired_ = then.fired_;
  requeued_by_user_ = then.requeued_by_user_;
  overdue_since_.clear();
}

void DependencyJudge::check_overdue() {
  const Milliseconds now = scene_.agenda.now();
  for (const auto& [id, job] : books_.jobs) {
    const bool overdue = job.state == JobState::Pending &&
                         std::ranges::any_of(job.dependencies, [&](const Dependency& term) {
                           return is_decided(job, term, scene_.wall());
                         });
    if (!overdue) {
      overdue_since_.erase(id);
    } else if (now - overdue_since_.try_emplace(id, now).first->second > overdue_max) {
      violated(job, "is forgotten though its dependencies are decided");
    }
  }
}

}  // namespace cox::sim
