#include "controller/dependencies.h"

#include <algorithm>
#include <functional>

#include "common/check.h"

namespace cox {
namespace {

constexpr std::size_t terms_per_turn_max = 2000;  // and one job at least

enum class Fate : std::uint8_t { Open, Met, Never };

// Null: nobody knows of it any more, so it has ended somehow.
Fate fate_of(const Dependency& term, const Job* on) {
  if (on == nullptr) {
    const bool however =
        term.kind == DependencyKind::After || term.kind == DependencyKind::AfterAny;
    return however ? Fate::Met : Fate::Never;
  }
  const bool well = on->state == JobState::Completed;
  if (!has_come({on->id, term.kind != DependencyKind::After}, *on)) return Fate::Open;
  switch (term.kind) {
    case DependencyKind::After:
    case DependencyKind::AfterAny: return Fate::Met;
    case DependencyKind::AfterOk: return well ? Fate::Met : Fate::Never;
    case DependencyKind::AfterNotOk: return well ? Fate::Never : Fate::Met;
    case DependencyKind::Singleton: break;
  }
  CHECK(false && "a singleton depends on no one job");
}

// From when a term that is met allows it to start.
Wall met_at(const Dependency& term, const Job* on, Wall now) {
  if (term.delay_s == 0 || on == nullptr) return now;
  const Wall begun = on->started != Wall{} ? on->started : on->ended;
  return std::max(now, begun + std::chrono::seconds{term.delay_s});
}

using Find = std::function<const Job*(JobId)>;

// Takes away the terms that are met and marks those that never will be; where any one will do, all
// when one is met. REQUIRES: the singletons among them are judged by `is_first`.
void judge(Dependent& waits, bool any, bool is_first, const Find& find, Wall now) {
  std::vector<Dependency> left;
  bool one_is_met = false;
  for (Dependency& term : waits.dependencies) {
    const bool by_name = term.kind == DependencyKind::Singleton;
    const Job* on = by_name || term.never ? nullptr : find(term.on);
    Fate fate = term.never ? Fate::Never : Fate::Open;
    if (!term.never) fate = by_name ? (is_first ? Fate::Met : Fate::Open) : fate_of(term, on);
    if (fate == Fate::Met) {
      one_is_met = true;
      waits.eligible = std::max(waits.eligible, met_at(term, on, now));
      continue;
    }
    term.never = fate == Fate::Never;
    left.push_back(term);
  }
  if (any && one_is_met) left.clear();
  waits.dependencies = std::move(left);
}

bool takes_any(const JobSpec& spec) {
  return spec.dependency.find('?') != std::string::npos;
}

bool is_first_of_its_name(const Cluster& cluster, const Job& job) {
  return is_singleton(job) && cluster.dependants().is_first(job);
}

void judge_one(Reaction& r, JobId id) {
  const Job before = r.cluster().job(id)->job;
  Dependent waits{before.dependencies, before.eligible};
  const auto find = [&](JobId on) {
    const JobEntry* e = r.cluster().job(on);
    return e == nullptr ? nullptr : &e->job;
  };
  judge(waits, takes_any(*before.spec), is_first_of_its_name(r.cluster(), before), find,
        r.now().wall);
  CHECK(waits.dependencies != before.dependencies);  // else it would be due for ever
  r.edit(id, [&](Job& job) {
    job.dependencies = waits.dependencies;
    job.eligible =
        waits.dependencies.empty() ? std::max(waits.eligible, r.now().wall) : waits.eligible;
  });
  const Job& job = r.cluster().job(id)->job;
  if (job.dependencies.empty()) {
    r.note(id, "dependency", "what it waited for has come", "controller");
    r.ask_for_scheduling();
  } else if (is_hopeless(job)) {
    r.note(id, "dependency", dependencies_text(r.cluster(), job), "controller");
  }
  end_if_hopeless(r, id);
}

std::string wish_text(const Dependency& term) {
  switch (term.kind) {
    case DependencyKind::After:
      return term.delay_s == 0 ? "to begin"
                               : "to have begun " + std::to_string(term.delay_s / 60) + " min ago";
    case DependencyKind::AfterAny: return "to end";
    case DependencyKind::AfterOk: return "to end well";
    case DependencyKind::AfterNotOk: return "to fail";
    case DependencyKind::Singleton: break;
  }
  return "";
}

std::string term_text(const Cluster& cluster, const Job& job, const Dependency& term) {
  if (term.kind == DependencyKind::Singleton)
    return "for the earlier jobs of " + job.spec->user_name + " called " + job.spec->name;
  const JobEntry* on = cluster.job(term.on);
  const std::string state = on == nullptr ? "ended" : std::string(name(on->job.state));
  return "for job " + std::to_string(term.on.value) + " (" + state + ") " + wish_text(term);
}

}  // namespace

bool is_hopeless(const Job& job) {
  const auto never = [](const Dependency& term) { return term.never; };
  if (!takes_any(*job.spec)) return std::ranges::any_of(job.dependencies, never);
  return !job.dependencies.empty() && std::ranges::all_of(job.dependencies, never);
}

Refusal never_submitted(JobId job) {
  return {"--dependency names job " + std::to_string(job.value) + ", and there never was one",
          "a job may wait only for jobs that are submitted already; see `cox queue`"};
}

std::optional<JobId> forgotten_job(const Cluster& cluster, const JobSpec& spec,
                                   const std::vector<Job>& recalled) {
  if (spec.dependency.empty()) return std::nullopt;
  const auto wish = parse_dependency(spec.dependency);
  if (!wish) return std::nullopt;
  for (const Dependency& term : wish->terms) {
    const bool named = term.kind != DependencyKind::Singleton && term.on < cluster.next_job();
    const bool known = cluster.job(term.on) != nullptr ||
                       std::ranges::find(recalled, term.on, &Job::id) != recalled.end();
    if (named && !known) return term.on;
  }
  return std::nullopt;
}

Result<Dependent> dependent(const Cluster& cluster, const JobSpec& spec,
                            const std::vector<Job>& recalled, Now now) {
  Dependent waits{{}, std::max(now.wall, spec.begin)};
  if (spec.dependency.empty()) return waits;
  const auto wish = parse_dependency(spec.dependency);
  if (!wish) return wish.refusal();
  waits.dependencies = wish->terms;
  for (const Dependency& term : waits.dependencies)
    if (term.on >= cluster.next_job()) return never_submitted(term.on);
  const auto find = [&](JobId on) -> const Job* {
    if (const JobEntry* e = cluster.job(on)) return &e->job;
    const auto at = std::ranges::find(recalled, on, &Job::id);
    return at == recalled.end() ? nullptr : &*at;
  };
  const Dependants& dependants = cluster.dependants();
  const bool is_first =
      dependants.follows_names() && !dependants.has_unfinished({spec.user_name, spec.name});
  judge(waits, wish->any, is_first, find, now.wall);
  return waits;
}

void end_if_hopeless(Reaction& r, JobId id) {
  const Job& job = r.cluster().job(id)->job;
  if (!is_hopeless(job) || !job.spec->kill_on_invalid_dependency.value_or(false)) return;
  r.move(id, Trigger::EndedCancelled,
         dependencies_text(r.cluster(), job) +
             "; it ends, as --kill-on-invalid-dep or kill_invalid_depend says",
         "controller", [](Job& row) { row.dependencies.clear(); });
}

void judge_dependants(Reaction& r) {
  for (std::size_t terms = 0; terms < terms_per_turn_max;) {
    const auto due = r.cluster().dependants().due();
    if (!due) return;
    terms += r.cluster().job(*due)->job.dependencies.size();
    judge_one(r, *due);
  }
}

std::string dependencies_text(const Cluster& cluster, const Job& job) {
  constexpr std::size_t shown_max = 3;
  const bool hopeless = is_hopeless(job);
  std::vector<const Dependency*> told;
  for (const Dependency& term : job.dependencies)
    if (term.never == hopeless) told.push_back(&term);
  CHECK(!told.empty());
  std::string text = hopeless ? "waits in vain " : "waits ";
  for (std::size_t i = 0; i < std::min(told.size(), shown_max); ++i)
    text += (i == 0                 ? ""
             : takes_any(*job.spec) ? " or "
                                    : ", ") +
            term_text(cluster, job, *told[i]);
  if (told.size() > shown_max) text += " and " + std::to_string(told.size() - shown_max) + " more";
  return text;
}

}  // namespace cox
