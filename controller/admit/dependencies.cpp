#include "controller/admit/dependencies.h"

#include <algorithm>
#include <functional>
#include <iterator>

#include "common/base/check.h"
#include "common/base/text.h"
#include "common/job/job_ref.h"
#include "controller/state/time_of_day.h"

namespace cox {
namespace {

enum class Fate : std::uint8_t { Open, Met, Never };

// The status of what a dependency refers to: a job, a task, or all tasks of an array.
struct Standing {
  bool begun = false;  // has started, or has ended without ever running
  bool ended = false;
  bool well = false;  // COMPLETED
  Wall begun_at{};
};

Standing standing_of(const Job& job) {
  const bool ended = is_final(job.state);
  return {ended || job.started != Wall{}, ended, job.state == JobState::Completed,
          job.started != Wall{} ? job.started : job.ended};
}

Standing standing_of_array(const Arrays& arrays, JobId id) {
  const bool over = arrays.is_over(id);
  return {arrays.has_begun(id), over, over && arrays.failed(id).empty(), Wall{}};
}

// For aftercorr: returns the joint status of the partner tasks, which are those tasks of the other
// array that have the same numbers as the job's tasks. REQUIRES: at least one has not ended, or all
// are COMPLETED, or none is (the row is split until one of these holds).
Standing standing_of_partners(const Arrays& arrays, const Job& job, JobId array) {
  const Arrays::Ended ended = arrays.ended_among(array, tasks_of(job));
  const bool all = ended.well.count() + ended.otherwise.count() == task_count(job);
  return {all, all, ended.otherwise.empty(), Wall{}};
}

bool only_delays(DependencyKind kind) {
  return kind == DependencyKind::After || kind == DependencyKind::AfterAny;
}

// Returns whether the dependency is met, can still be met, or never can. `on`: absent if the job is
// no longer known; then it has ended, with an unknown result.
Fate fate_of(const Dependency& term, const std::optional<Standing>& on) {
  if (!on) return only_delays(term.kind) ? Fate::Met : Fate::Never;
  const bool has_come = term.kind == DependencyKind::After ? on->begun : on->ended;
  if (!has_come) return Fate::Open;
  switch (term.kind) {
    case DependencyKind::After:
    case DependencyKind::AfterAny: return Fate::Met;
    case DependencyKind::AfterCorr:
    case DependencyKind::AfterOk: return on->well ? Fate::Met : Fate::Never;
    case DependencyKind::AfterNotOk: return on->well ? Fate::Never : Fate::Met;
    case DependencyKind::Singleton: break;
  }
  CHECK(false && "a singleton depends on no one job");
}

// Returns the time from which a dependency that is met lets the job start.
Wall satisfied_at(const Dependency& term, const std::optional<Standing>& on, Wall now) {
  if (term.delay_s == 0 || !on) return now;
  // An array has begun when its last task begins. The dependency is checked in that turn, so this
  // time is `now`.
  // If it seems to have begun much later than now, the clock has been set back.
  const bool is_known = on->begun_at != Wall{} && on->begun_at - now <= TimeOfDay::off_max;
  const Wall begun = is_known ? on->begun_at : now;
  return std::max(now, begun + std::chrono::seconds{term.delay_s});
}

using Find = std::function<std::optional<Standing>(const Dependency&)>;

// Removes the dependencies that are met, and marks those that can never be met. If `any` (separator
// "?"), one that is met removes all. `is_first`: no earlier unfinished job has the same name and
// user, so singletons are met.
void drop_satisfied(Dependent& waits, bool any, bool is_first, const Find& find, Wall now) {
  std::vector<Dependency> left;
  bool any_met = false;
  for (Dependency& term : waits.dependencies) {
    const bool by_name = term.kind == DependencyKind::Singleton;
    const auto on = by_name || term.never ? std::nullopt : find(term);
    Fate fate = term.never ? Fate::Never : Fate::Open;
    if (!term.never) fate = by_name ? (is_first ? Fate::Met : Fate::Open) : fate_of(term, on);
    if (fate == Fate::Met) {
      any_met = true;
      waits.eligible = std::max(waits.eligible, satisfied_at(term, on, now));
      continue;
    }
    term.never = fate == Fate::Never;
    left.push_back(term);
  }
  if (any && any_met) left.clear();
  waits.dependencies = std::move(left);
}

bool is_first_of_its_name(const Cluster& cluster, const Job& job) {
  return is_singleton(job) && cluster.eligibility().dependants().is_first(job);
}

std::optional<Standing> find_standing(const Cluster& cluster, const Job& job,
                                      const Dependency& term) {
  const Arrays& arrays = cluster.jobs().arrays();
  if (term.kind == DependencyKind::AfterCorr) return standing_of_partners(arrays, job, term.on);
  if (term.task < 0 && arrays.contains(term.on)) return standing_of_array(arrays, term.on);
  const auto row = term.task < 0 ? std::optional(term.on) : arrays.row_of(term.on, term.task);
  const JobEntry* on = row ? cluster.job(*row) : nullptr;
  return on == nullptr ? std::nullopt : std::optional(standing_of(on->job));
}

std::string wish_text(const Dependency& term) {
  switch (term.kind) {
    case DependencyKind::After:
      return term.delay_s == 0 ? "to begin"
                               : "to have begun " + std::to_string(term.delay_s / 60) + " min ago";
    case DependencyKind::AfterAny: return "to end";
    case DependencyKind::AfterCorr:
    case DependencyKind::AfterOk: return "to complete successfully";
    case DependencyKind::AfterNotOk: return "to fail";
    case DependencyKind::Singleton: break;
  }
  return "";
}

// Returns "job 12 (RUNNING)" or "job 19_3 (FAILED)". `task`: which one to name if there are
// several.
std::string standing_text(const Job& on, std::int64_t task = -1) {
  const std::string id =
      task < 0 ? command_id(on) : format_job_ref(on.array_job, std::to_string(task));
  return "job " + id + " (" + std::string(name(on.state)) + ")";
}

std::string singleton_text(const Cluster& cluster, const Job& job) {
  const std::string called = job.spec->user_name + "/" + job.spec->name;
  const std::set<SubmittedAs>& others =
      cluster.eligibility().dependants().unfinished_of(name_of(job));
  // Names one of the earlier jobs and does not count them: there may be very many, and this text
  // may be made for each of them.
  const auto end = others.lower_bound({submitted_as(job).first, JobId{}});
  if (others.begin() == end) return "for the earlier jobs of " + called + " to end";
  const bool several = std::next(others.begin()) != end;
  return "for " + standing_text(cluster.job(others.begin()->second)->job) + " of " + called +
         (several ? ", and others," : "") + " to end";
}

// Returns "task 3 of array 19 (19_3) FAILED".
std::string end_text(const Job& row, std::int64_t task) {
  const std::string array = std::to_string(row.array_job.value);
  const std::string number = std::to_string(task);
  return "task " + number + " of array " + array + " (" + array + "_" + number + ") " +
         std::string(name(row.state));
}

// Returns why a dependency on an array can never be met: the results of its tasks, or those of the
// partner tasks. Empty: it still can.
std::string blamed_text(const Cluster& cluster, const Job& job, const Dependency& term) {
  const Arrays& arrays = cluster.jobs().arrays();
  if (!term.never || !arrays.contains(term.on)) return "";
  if (term.kind == DependencyKind::AfterNotOk) return ": all of its tasks are COMPLETED";
  std::int64_t first = -1;
  std::int64_t count = 0;
  if (term.kind == DependencyKind::AfterCorr) {
    const ArrayTasks otherwise = arrays.ended_among(term.on, tasks_of(job)).otherwise;
    if (!otherwise.empty()) first = otherwise.first();
    count = otherwise.count();
  } else {
    for (const auto& [fate, tasks] : arrays.fates(term.on))
      if (is_final(fate.state) && fate.state != JobState::Completed) count += tasks;
    const std::set<JobId>& failed = arrays.failed(term.on);
    // The row with the array's id has the last tasks of the array. The text names the first failed
    // task, so it takes another failed row if there is one.
    const bool last = failed.contains(term.on) && failed.size() > 1;
    const auto row = last ? std::next(failed.begin()) : failed.begin();
    if (count > 0) first = tasks_of(cluster.job(*row)->job).first();
  }
  if (count == 0) return "";
  const Job& row = cluster.job(*arrays.row_of(term.on, first))->job;
  return ": " + end_text(row, first) +
         (count > 1 ? ", and " + std::to_string(count - 1) + " more did not complete successfully"
                    : "");
}

// Returns "job 12 (RUNNING)", "job 19_3 (FAILED)" or "array 19".
std::string named_text(const Cluster& cluster, const Dependency& term) {
  const std::string task = term.task < 0 ? "" : std::to_string(term.task);
  if (term.task < 0 && cluster.jobs().arrays().contains(term.on))
    return "array " + std::to_string(term.on.value);
  const auto row =
      term.task < 0 ? std::optional(term.on) : cluster.jobs().arrays().row_of(term.on, term.task);
  const JobEntry* on = row ? cluster.job(*row) : nullptr;
  if (on != nullptr) return standing_text(on->job, term.task);
  return "job " + format_job_ref(term.on, task) + " (ended)";
}

std::string term_text(const Cluster& cluster, const Job& job, const Dependency& term) {
  if (term.kind == DependencyKind::Singleton) return singleton_text(cluster, job);
  const std::string id = std::to_string(term.on.value);
  if (term.kind == DependencyKind::AfterCorr)
    return "for the same " + std::string(has_several_tasks(job) ? "tasks" : "task") + " of array " +
           id + " " + wish_text(term) + blamed_text(cluster, job, term);
  if (term.task < 0 && cluster.jobs().arrays().contains(term.on)) {
    std::int64_t left = 0;
    for (const auto& [fate, count] : cluster.jobs().arrays().fates(term.on))
      if (!is_final(fate.state)) left += count;
    return "for array " + id +
           (left > 0 ? " (" + std::to_string(left) + " of its tasks have not ended) " : " ") +
           wish_text(term) + blamed_text(cluster, job, term);
  }
  return "for " + named_text(cluster, term) + " " + wish_text(term);
}

}  // namespace

Refusal never_submitted(JobId job) {
  return {"--dependency names job " + std::to_string(job.value) + ", which does not exist",
          "a job may wait only for jobs that are submitted already; see `cox queue`"};
}

std::optional<JobId> forgotten_job(const Cluster& cluster, const DependencyWish& wish,
                                   const std::vector<Job>& recalled) {
  for (const Dependency& term : wish.terms) {
    const bool named = term.kind != DependencyKind::Singleton && term.on < cluster.jobs().next_id();
    const bool known = cluster.job(term.on) != nullptr ||
                       std::ranges::find(recalled, term.on, &Job::id) != recalled.end();
    if (named && !known) return term.on;
  }
  return std::nullopt;
}

namespace {

// Resolves a dependency on an array, and refuses one on tasks that do not exist.
Failure resolve_array_term(const Cluster& cluster, const ParsedSpec& spec,
                           const std::vector<Job>& recalled, Dependency& term) {
  if (term.kind == DependencyKind::Singleton) return std::nullopt;
  const JobEntry* e = cluster.job(term.on);
  const auto at = std::ranges::find(recalled, term.on, &Job::id);
  const Job* on = e != nullptr ? &e->job : at != recalled.end() ? &*at : nullptr;
  const bool of_array = on != nullptr && is_first_of_array(*on);
  const std::string id = std::to_string(term.on.value);
  if (term.kind == DependencyKind::AfterCorr && (spec.array.empty() || !of_array))
    term.kind = DependencyKind::AfterOk;  // as in Slurm
  if (!of_array && term.task >= 0)
    return Refusal{"--dependency names task " + std::to_string(term.task) + " of job " + id +
                       ", which is not an array",
                   "name only the job: afterok:" + id};
  if (!of_array) return std::nullopt;
  if (e == nullptr && !only_delays(term.kind))
    return Refusal{"array " + id +
                       " ended so long ago that it is not known which of its tasks "
                       "completed successfully",
                   "wait for it with afterany:" + id + ", or leave it out"};
  const ArrayTasks& tasks = on->spec->terms->array.tasks;
  const ArrayTasks asked = term.kind == DependencyKind::AfterCorr ? spec.terms->array.tasks
                           : term.task >= 0                       ? ArrayTasks({term.task})
                                                                  : ArrayTasks();
  const ArrayTasks missing = asked.without(tasks);
  if (missing.empty()) return std::nullopt;
  return Refusal{"array " + id + " has no task " + std::to_string(missing.first()),
                 "its tasks are " + cut_text(format_array_tasks(tasks), 200)};
}

}  // namespace

Result<Dependent> dependent(const Cluster& cluster, const ParsedSpec& spec,
                            const std::vector<Job>& recalled, Now now) {
  Dependent waits{{}, std::max(now.wall, spec.begin)};
  if (spec.dependency.empty()) return waits;
  if (auto f = unreadable(*spec.terms, "--dependency")) return *f;
  waits.dependencies = spec.terms->dependency.terms;
  for (Dependency& term : waits.dependencies) {
    if (term.on >= cluster.jobs().next_id()) return never_submitted(term.on);
    if (auto failure = resolve_array_term(cluster, spec, recalled, term)) return *failure;
  }
  const auto find = [&](const Dependency& term) -> std::optional<Standing> {
    // Counted as open: aftercorr compares tasks by number, and is checked once the job is added.
    if (term.kind == DependencyKind::AfterCorr) return Standing{};
    const auto at = std::ranges::find(recalled, term.on, &Job::id);
    if (at != recalled.end() && cluster.job(term.on) == nullptr) return standing_of(*at);
    return find_standing(cluster, {}, term);
  };
  const Dependants& dependants = cluster.eligibility().dependants();
  const bool is_first =
      dependants.follows_names() && !dependants.has_unfinished({spec.user_name, spec.name});
  drop_satisfied(waits, takes_any(spec), is_first, find, now.wall);
  return waits;
}

Dependent evaluate_again(const Cluster& cluster, const Job& job, Now now) {
  Dependent waits{job.dependencies, job.eligible};
  const auto find = [&](const Dependency& term) { return find_standing(cluster, job, term); };
  drop_satisfied(waits, takes_any(*job.spec), is_first_of_its_name(cluster, job), find, now.wall);
  return waits;
}

std::string delay_text(const Cluster& cluster, const Job& job) {
  if (job.eligible == job.spec->begin) return "";
  for (const Dependency& term : job.spec->terms->dependency.terms) {
    if (term.kind != DependencyKind::After || term.delay_s == 0) continue;
    const auto on = find_standing(cluster, job, term);
    if (!on || !on->begun) continue;
    // For an array, begun_at is not known: the dependency was checked when its last task began.
    if (on->begun_at != Wall{} && on->begun_at + std::chrono::seconds{term.delay_s} != job.eligible)
      continue;
    return std::to_string(term.delay_s / 60) + " min after " + named_text(cluster, term) + " began";
  }
  return "";
}

namespace {

// Returns the tasks of a new array that can never start, as a row of their own: those whose partner
// task (aftercorr) has ended but is not COMPLETED.
std::optional<Job> tasks_in_vain(const Cluster& cluster, Job row) {
  if (takes_any(*row.spec)) return std::nullopt;
  for (Dependency& term : row.dependencies.change()) {
    if (term.kind != DependencyKind::AfterCorr) continue;
    const ArrayTasks otherwise =
        cluster.jobs().arrays().ended_among(term.on, tasks_of(row)).otherwise;
    if (otherwise.empty()) continue;
    term.never = true;
    set_tasks(row, otherwise);
    row.array_limit = 0;
    return row;
  }
  return std::nullopt;
}

}  // namespace

std::string note_on_dependencies(const Cluster& cluster, JobId id) {
  const Job& job = cluster.job(id)->job;
  if (is_final(job.state)) return "job " + command_id(job) + " has ended: " + *job.why;
  const std::optional<Job> vain = is_hopeless(job) ? job : tasks_in_vain(cluster, job);
  if (!vain) return "";
  const std::string text = "job " + shown_id(*vain) + " " + dependencies_text(cluster, *vain);
  if (job.spec->kill_on_invalid_dependency.value_or(false)) return text + " and is cancelled";
  return text + (names_all_tasks(*vain) ? "; `cox cancel " + command_id(*vain) + "` ends it" : "");
}

std::string dependencies_text(const Cluster& cluster, const Job& job) {
  constexpr std::size_t shown_max = 3;
  const bool hopeless = is_hopeless(job);
  std::vector<const Dependency*> shown;
  for (const Dependency& term : job.dependencies)
    if (term.never == hopeless) shown.push_back(&term);
  CHECK(!shown.empty());
  std::string text = hopeless ? "waits in vain " : "waits ";
  for (std::size_t i = 0; i < std::min(shown.size(), shown_max); ++i)
    text += (i == 0                 ? ""
             : takes_any(*job.spec) ? " or "
                                    : ", ") +
            term_text(cluster, job, *shown[i]);
  if (shown.size() > shown_max)
    text += " and " + std::to_string(shown.size() - shown_max) + " more";
  return text;
}

}  // namespace cox
