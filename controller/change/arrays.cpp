#include "controller/change/arrays.h"

#include <vector>

#include "common/base/check.h"
#include "common/job/job_state.h"

namespace cox {
namespace {

void keep(std::set<JobId>& set, JobId id, bool in) {
  if (in) {
    set.insert(id);
  } else {
    set.erase(id);
  }
}

}  // namespace

const Arrays::Rows& Arrays::of(JobId array) const {
  static const Rows none;
  const auto at = arrays_.find(array);
  return at == arrays_.end() ? none : at->second;
}

TaskFate fate_of(const Job& job) {
  if (!is_final(job.state)) return {job.state, 0, 0};
  return {job.state, job.exit_code, job.exit_signal};
}

ArrayRow array_row(const Job& job) {
  return {job.id, fate_of(job), job.array_task, job.array_tasks, job.ended};
}

std::string command_id(JobId array, const ArrayRow& row, AttemptNumber attempt) {
  const bool is_of_none = row.task < 0 && row.tasks.empty();
  if (is_of_none || (row.id == array && attempt.value == 0)) return std::to_string(array.value);
  Job job;
  job.id = row.id;
  job.array_job = array;
  job.array_task = row.task;
  job.array_tasks = row.tasks;
  return command_id(job);
}

std::vector<TaskGroup> task_groups(const std::vector<ArrayRow>& rows) {
  std::map<TaskFate, std::vector<std::int64_t>> tasks;
  for (const ArrayRow& row : rows) {
    auto& alike = tasks[row.fate];
    if (row.tasks.empty()) {
      alike.push_back(row.task);
      continue;
    }
    for (const std::int64_t task : row.tasks.all()) alike.push_back(task);
  }
  std::vector<TaskGroup> groups;
  for (auto& [fate, alike] : tasks) {
    const auto count = std::ssize(alike);
    groups.push_back({fate.state, fate.exit_code, fate.exit_signal, count,
                      format_array_tasks(ArrayTasks(std::move(alike)))});
  }
  return groups;
}

void Arrays::count(Rows& array, const Job& job, std::int64_t tasks) {
  if (const auto before = array.counted.find(job.id); before != array.counted.end()) {
    const auto& [fate, known] = before->second;
    const auto at = array.fates.find(fate);
    if ((at->second -= known) == 0) array.fates.erase(at);
    array.counted.erase(before);
  }
  if (tasks == 0) return;
  array.fates[fate_of(job)] += tasks;
  array.counted[job.id] = {fate_of(job), tasks};
}

void Arrays::put(const Job& job) {
  CHECK(is_of_array(job));
  Rows& array = arrays_[job.array_job];
  count(array, job, task_count(job));
  const bool over = is_final(job.state);
  array.rows.insert(job.id);
  keep(array.unfinished, job.id, !over);
  keep(array.not_begun, job.id, !over && job.started == Wall{});
  keep(array.failed, job.id, over && job.state != JobState::Completed);
  array.several.erase(job.id);
  if (!over) array.ended.erase(job.array_task);  // a user may have requeued an ended task
  if (has_several_tasks(job)) {
    if (over) array.ended_several[job.id] = tasks_of(job);
    array.several[job.id] = tasks_of(job);
    return;
  }
  array.alone[job.array_task] = job.id;
  if (over) array.ended[job.array_task] = job.state == JobState::Completed;
}

void Arrays::forget(const Job& job) {
  const auto at = arrays_.find(job.array_job);
  CHECK(at != arrays_.end());
  Rows& array = at->second;
  for (auto* set : {&array.rows, &array.unfinished, &array.not_begun, &array.failed})
    set->erase(job.id);
  count(array, job, 0);
  array.several.erase(job.id);
  array.ended_several.erase(job.id);
  if (!has_several_tasks(job)) array.alone.erase(job.array_task);
  if (!has_several_tasks(job)) array.ended.erase(job.array_task);
  if (array.rows.empty()) arrays_.erase(at);
}

std::optional<JobId> Arrays::row_of(JobId array, std::int64_t task) const {
  const Rows& rows = of(array);
  if (const auto at = rows.alone.find(task); at != rows.alone.end()) return at->second;
  for (const auto& [id, tasks] : rows.several)
    if (tasks.contains(task)) return id;
  return std::nullopt;
}

Arrays::Ended Arrays::ended_among(JobId array, const ArrayTasks& tasks) const {
  const Rows& rows = of(array);
  std::vector<std::int64_t> well;
  std::vector<std::int64_t> otherwise;
  for (const ArrayTasks::Range& range : tasks.ranges())
    for (auto at = rows.ended.lower_bound(range.first);
         at != rows.ended.end() && at->first <= range.last; ++at)
      if (range.contains(at->first)) (at->second ? well : otherwise).push_back(at->first);
  for (const auto& [id, ended] : rows.ended_several)
    for (const std::int64_t task : ended.common_with(tasks).all()) otherwise.push_back(task);
  return {ArrayTasks(std::move(well)), ArrayTasks(std::move(otherwise))};
}

bool Arrays::has_ended_among(JobId array, const ArrayTasks& tasks) const {
  const Rows& rows = of(array);
  for (const ArrayTasks::Range& range : tasks.ranges())
    for (auto at = rows.ended.lower_bound(range.first);
         at != rows.ended.end() && at->first <= range.last; ++at)
      if (range.contains(at->first)) return true;
  for (const auto& [id, ended] : rows.ended_several)
    if (!ended.common_with(tasks).empty()) return true;
  return false;
}

}  // namespace cox
