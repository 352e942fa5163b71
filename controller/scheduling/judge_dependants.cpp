#include "controller/scheduling/judge_dependants.h"

#include "common/base/check.h"
#include "controller/admit/dependencies.h"
#include "controller/attempt/ended.h"
#include "controller/scheduling/split.h"
#include "controller/scheduling/waits.h"

namespace cox {
namespace {

constexpr std::size_t terms_per_turn_max = 2000;  // and one job at least

void judge_row(Reaction& r, JobId id) {
  const Job before = r.cluster().job(id)->job;
  const Dependent waits = judged_again(r.cluster(), before, r.now());
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
  } else if (is_hopeless(job) && !is_hopeless(before)) {
    r.note(id, "dependency", dependencies_text(r.cluster(), job), "controller");
  }
  end_if_hopeless(r, id);
}

// Of those that wait each for its partner in another array, the ones whose partners have ended: a
// row of those that did so well, and one of the others.
std::vector<JobId> split_by_partners(Reaction& r, JobId id) {
  const Job job = r.cluster().job(id)->job;
  for (const Dependency& term : job.dependencies) {
    if (term.kind != DependencyKind::AfterCorr || term.never) continue;
    const auto ended = r.cluster().arrays().ended_among(term.on, tasks_of(job));
    std::vector<JobId> rows;
    for (const ArrayTasks* tasks : {&ended.well, &ended.otherwise})
      if (!tasks->empty()) rows.push_back(split_tasks(r, id, *tasks));
    if (!rows.empty()) return rows;
  }
  return {id};
}

void judge_one(Reaction& r, JobId id) {
  const bool several = stands_for_several(r.cluster().job(id)->job);
  if (!several) return judge_row(r, id);
  for (const JobId row : split_by_partners(r, id)) judge_row(r, row);
}

}  // namespace

void end_if_hopeless(Reaction& r, JobId id) {
  const Job& job = r.cluster().job(id)->job;
  if (!is_hopeless(job)) return;
  if (!job.spec->kill_on_invalid_dependency.value_or(false)) return record_never_starts(r, id);
  end_job(r, id, Trigger::EndedCancelled,
          dependencies_text(r.cluster(), job) + (r.cluster().config().kill_invalid_depend
                                                     ? "; it ends, as kill_invalid_depend says"
                                                     : "; it ends, as --kill-on-invalid-dep says"),
          "controller", [](Job& row) { row.dependencies.clear(); });
}

void judge_dependants(Reaction& r) {
  std::size_t terms = 0;
  for (; terms < terms_per_turn_max && !r.cluster().hopeless_unrecorded().empty(); ++terms)
    record_never_starts(r, *r.cluster().hopeless_unrecorded().begin());
  while (terms < terms_per_turn_max) {
    const auto due = r.cluster().dependants().due();
    if (!due) return;
    terms += r.cluster().job(*due)->job.dependencies.size();
    judge_one(r, *due);
  }
}

}  // namespace cox
