#include "tests/sim/dependency_judge.h"

#include <algorithm>

#include "common/job/job_ref.h"

namespace cox::sim {
namespace {

// What is decided is acted upon in the turn that decides it, or the one after a turn that was
// refused.
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
  std::visit([&](const auto& c) { see_one(c, at); }, change);
}

// What was asked, as it holds for what the job depends on: only an array waits for another task by
// task.
std::vector<Dependency> DependencyJudge::wish_of(const Job& job) const {
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

// ---- what has become of that which is awaited --------------------------------------------------

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

// No job of its name and user that is older is left.
DependencyJudge::Fate DependencyJudge::fate_by_name(const Job& job, JobId older_than) const {
  for (const auto& [id, one] : books_.jobs) {
    // A task that was split off late was submitted with its array.
    const JobId submitted = is_of_array(one) ? one.array_job : id;
    if (submitted < older_than && !is_final(one.state) && one.spec->name == job.spec->name &&
        one.spec->user_name == job.spec->user_name)
      return Fate::Open;
  }
  return Fate::Met;
}

// So long after the first of them has begun at the earliest. REQUIRES: all have.
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
  std::size_t met = 0;
  std::size_t never = 0;
  const auto terms = wish_of(job);
  for (const Dependency& term : terms) {
    const Fate fate = fate_of(job, term, at);
    met += fate == Fate::Met ? 1 : 0;
    never += fate == Fate::Never ? 1 : 0;
  }
  if (takes_any(*job.spec)) {
    if (met > 0) return Fate::Met;
    return never == terms.size() ? Fate::Never : Fate::Open;
  }
  if (never > 0) return Fate::Never;
  return met == terms.size() ? Fate::Met : Fate::Open;
}

// ---- what the store is told --------------------------------------------------------------------

void DependencyJudge::see_one(const JobAdded& change, Wall at) {
  const Job& job = change.job;
  const bool is_part = is_of_array(job) && job.array_job != job.id;
  if (is_part) return split_off(job);
  judge_waits(job, wish_of(job), at);
}

// Whoever is split off waits for the same as the row that he was part of.
void DependencyJudge::split_off(const Job& part) {
  for (const auto& [id, whole] : books_.jobs) {
    if (whole.array_job != part.array_job || is_final(whole.state)) continue;
    if (!tasks_of(part).without(tasks_of(whole)).empty()) continue;
    if (whole.dependencies != part.dependencies)
      violated(part, "waits for something else than the tasks that it was split from");
    return;
  }
}

// What it waited for until now, and does not any more, has come; what it waits for in vain cannot.
void DependencyJudge::judge_waits(const Job& job, const std::vector<Dependency>& before, Wall at) {
  for (const Dependency& term : job.dependencies) {
    const Dependency* known = find(before, term);
    if (known == nullptr) {
      violated(job, "waits for what it did not wait for");
      continue;
    }
    const bool marked = term.never && !known->never;
    if (known->never && !term.never) violated(job, "hopes again");
    if (marked && fate_of(job, term, at) != Fate::Never)
      violated(job, "is said to wait in vain for " + text_of(term.on) + ", and does not");
  }
  const Fate whole = fate_of_whole(job, at);
  const bool any = takes_any(*job.spec) && whole == Fate::Met;
  const bool given_up = job.state == JobState::Cancelled && whole == Fate::Never;
  for (const Dependency& term : before) {
    if (find(job.dependencies, term) != nullptr || any || given_up) continue;
    // With a delay it is eligible later, and its row says from when.
    Dependency begun = term;
    begun.delay_s = 0;
    if (fate_of(job, begun, at) != Fate::Met)
      violated(job, "does not wait any more for " + text_of(term.on) +
                        ", and what it waited for has not come");
  }
}

void DependencyJudge::see_one(const JobChanged& change, Wall at) {
  const Job& job = change.job;
  if (job.started != Wall{}) begun_.try_emplace(job.id, job.started);
  if (is_final(job.state)) begun_.try_emplace(job.id, job.ended);
  const auto before = books_.jobs.find(job.id);
  if (before == books_.jobs.end()) return;
  if (is_final(before->second.state) && job.state == JobState::Pending)
    wanted_again_.insert(job.id);
  judge_waits(job, before->second.dependencies, at);
  const bool in_vain = job.why.starts_with("waits in vain");
  if (job.state != JobState::Cancelled || !in_vain) return;
  if (!job.spec->kill_on_invalid_dependency.value_or(false))
    violated(job, "ends for what it depends on, and nobody asked for that");
  if (fate_of_whole(job, at) != Fate::Never)
    violated(job, "ends for what it depends on, which may come yet");
}

bool DependencyJudge::waits_for_one_wanted_again(const Job& job) const {
  const auto is_wanted = [&](const Job* one) { return wanted_again_.contains(one->id); };
  const auto bears_the_name = [&](JobId id) {
    const JobSpec& other = *books_.jobs.at(id).spec;
    return other.name == job.spec->name && other.user_name == job.spec->user_name;
  };
  return std::ranges::any_of(wish_of(job), [&](const Dependency& term) {
    if (term.kind == DependencyKind::Singleton)
      return std::ranges::any_of(wanted_again_, bears_the_name);
    return std::ranges::any_of(awaited_by(job, term), is_wanted);
  });
}

void DependencyJudge::see_one(const AttemptAdded& change, Wall at) {
  const auto at_job = books_.jobs.find(change.attempt.key.job);
  if (at_job == books_.jobs.end()) return;
  const Job& job = at_job->second;
  if (!job.dependencies.empty()) violated(job, "starts while it is written that it waits");
  if (waits_for_one_wanted_again(job)) return;  // what had come is undone since
  if (fate_of_whole(job, at) != Fate::Met)
    violated(job, "starts before what it depends on: " + job.spec->dependency);
}

void DependencyJudge::see_one(const EventAdded& change, Wall) {
  const JobEvent& event = change.event;
  if (event.what != "dependency" || event.why != "what it waited for has come") return;
  if (++fired_[event.job] > 1)
    scene_.story.violated(text_of(event.job) + " is released twice from what it depends on");
}

// ---- who is forgotten --------------------------------------------------------------------------

bool DependencyJudge::is_decided(const Job& job, const Dependency& term, Wall at) const {
  if (term.never) return false;  // and it is written
  if (term.kind != DependencyKind::AfterCorr) return fate_of(job, term, at) != Fate::Open;
  const auto partners = awaited_by(job, term);
  return std::ranges::any_of(partners, [](const Job* one) { return is_final(one->state); });
}

void DependencyJudge::goes_back_to(const DependencyJudge& then) {
  begun_ = then.begun_;
  fired_ = then.fired_;
  wanted_again_ = then.wanted_again_;
  overdue_since_.clear();
}

void DependencyJudge::comes_to_rest() {
  const Milliseconds now = scene_.agenda.now();
  for (const auto& [id, job] : books_.jobs) {
    const bool overdue = job.state == JobState::Pending &&
                         std::ranges::any_of(job.dependencies, [&](const Dependency& term) {
                           return is_decided(job, term, scene_.wall());
                         });
    if (!overdue) {
      overdue_since_.erase(id);
    } else if (now - overdue_since_.try_emplace(id, now).first->second > overdue_max) {
      violated(job, "is forgotten: what it depends on is decided");
    }
  }
}

}  // namespace cox::sim
