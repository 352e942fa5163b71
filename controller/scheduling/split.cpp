#include "controller/scheduling/split.h"

#include "common/base/check.h"
#include "common/base/text.h"
#include "common/job/job_ref.h"
#include "controller/scheduling/waits.h"

namespace cox {
namespace {

std::string split_text(const Job& job) {
  const bool several = has_several_tasks(job);
  return std::string(several ? "tasks " : "task ") +
         (several ? cut_text(format_array_tasks(job.array_tasks), 200)
                  : std::to_string(job.array_task)) +
         " of array " + std::to_string(job.array_job.value);
}

}  // namespace

JobId split_tasks(Reaction& r, JobId row, const ArrayTasks& tasks) {
  const Job whole = r.cluster().job(row)->job;
  CHECK(whole.state == JobState::Pending && !tasks.empty());
  const ArrayTasks left = tasks_of(whole).without(tasks);
  CHECK(left.count() + tasks.count() == task_count(whole));
  if (left.empty()) return row;
  Job part = whole;
  part.id = r.cluster().jobs().next_id();
  part.request_id.clear();
  part.array_limit = 0;
  set_tasks(part, tasks);
  const JobId id = part.id;
  std::string text = split_text(part);
  // The new row is added before the old one loses its tasks, so that each task is always in a row.
  r.add_job(std::move(part), {}, {}, std::move(text));
  r.edit(row, [&](Job& job) { set_tasks(job, left); });
  split_never_satisfied(r, row, id);
  return id;
}

JobId split_first(Reaction& r, JobId job) {
  const Job& whole = r.cluster().job(job)->job;
  if (!has_several_tasks(whole)) return job;
  const JobId id = split_tasks(r, job, ArrayTasks({tasks_of(whole).first()}));
  r.feed().note_split(job, id);
  return id;
}

}  // namespace cox
