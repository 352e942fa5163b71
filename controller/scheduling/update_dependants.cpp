#include "controller/scheduling/update_dependants.h"

#include "common/base/check.h"
#include "controller/admit/dependencies.h"
#include "controller/attempt/ended.h"
#include "controller/scheduling/split.h"
#include "controller/scheduling/waits.h"

namespace cox {
namespace {

// Dependencies that one turn checks at most; but always those of one job.
constexpr std::size_t terms_per_turn_max = 2000;

void update_dependant_row(Reaction& r, JobId id) {
  const Job before = r.cluster().job(id)->job;
  const Dependent waits = evaluate_again(r.cluster(), before, r.now());
  CHECK(waits.dependencies !=
        before.dependencies);  // otherwise the job would stay due and be checked again and again
  r.edit(id, [&](Job& job) {
    job.dependencies = waits.dependencies;
    job.eligible =
        waits.dependencies.empty() ? std::max(waits.eligible, r.now().wall) : waits.eligible;
  });
  const Job& job = r.cluster().job(id)->job;
  if (job.dependencies.empty()) {
    r.note(id, "dependency", "its dependencies are met", "controller");
    r.ask_for_scheduling();
  } else if (is_hopeless(job) && !is_hopeless(before)) {
    r.note(id, "dependency", dependencies_text(r.cluster(), job), "controller");
  }
  end_if_hopeless(r, id);
}

// If the row's tasks each wait for one task of another array (aftercorr), splits off the tasks
// whose partner task has ended: a row for those whose partner COMPLETED, and one for the others.
// Returns the rows to check.
std::vector<JobId> split_by_partners(Reaction& r, JobId id) {
  const Job job = r.cluster().job(id)->job;
  for (const Dependency& term : job.dependencies) {
    if (term.kind != DependencyKind::AfterCorr || term.never) continue;
    const auto ended = r.cluster().jobs().arrays().ended_among(term.on, tasks_of(job));
    std::vector<JobId> rows;
    for (const ArrayTasks* tasks : {&ended.well, &ended.otherwise})
      if (!tasks->empty()) rows.push_back(split_tasks(r, id, *tasks));
    if (!rows.empty()) return rows;
  }
  return {id};
}

void update_dependant(Reaction& r, JobId id) {
  const bool several = has_several_tasks(r.cluster().job(id)->job);
  if (!several) return update_dependant_row(r, id);
  for (const JobId row : split_by_partners(r, id)) update_dependant_row(r, row);
}

}  // namespace

void end_if_hopeless(Reaction& r, JobId id) {
  const Job& job = r.cluster().job(id)->job;
  if (!is_hopeless(job)) return;
  if (!job.spec->kill_on_invalid_dependency.value_or(false)) return record_never_starts(r, id);
  end_job(
      r, id, Trigger::EndedCancelled,
      dependencies_text(r.cluster(), job) + (r.cluster().config().kill_invalid_depend
                                                 ? "; it ends because of kill_invalid_depend"
                                                 : "; it ends because of --kill-on-invalid-dep"),
      "controller", [](Job& row) { row.dependencies.clear(); });
}

void update_dependants(Reaction& r) {
  std::size_t terms = 0;
  for (; terms < terms_per_turn_max && !r.cluster().eligibility().hopeless_unrecorded().empty();
       ++terms)
    record_never_starts(r, *r.cluster().eligibility().hopeless_unrecorded().begin());
  while (terms < terms_per_turn_max) {
    const auto due = r.cluster().eligibility().dependants().due();
    if (!due) return;
    terms += r.cluster().job(*due)->job.dependencies.size();
    update_dependant(r, *due);
  }
}

}  // namespace cox
