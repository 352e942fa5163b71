#include "controller/scheduling/split.h"

#include "common/base/check.h"
#include "common/base/text.h"
#include "common/job/job_ref.h"
#include "controller/scheduling/waits.h"

namespace cox {
namespace {

std::string split_text(const Job& job) {
  const bool several = stands_for_several(job);
  return std::string(several ? "tasks " : "task ") +
         (several ? cut_text(job.array_tasks, 200) : std::to_string(job.array_task)) +
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
  part.id = r.cluster().next_job();
  part.request_id.clear();
  part.array_limit = 0;
  set_tasks(part, tasks);
  const JobId id = part.id;
  std::string text = split_text(part);
  // In this order, so that each task is somewhere at any time.
  r.add_job(std::move(part), {}, {}, std::move(text));
  r.edit(row, [&](Job& job) { set_tasks(job, left); });
  split_wait_in_vain(r, row, id);
  return id;
}

JobId split_first(Reaction& r, JobId job) {
  const Job& whole = r.cluster().job(job)->job;
  if (!stands_for_several(whole)) return job;
  const JobId id = split_tasks(r, job, ArrayTasks({tasks_of(whole).first()}));
  r.soft_state().note_split(job, id);
  return id;
}

}  // namespace cox
