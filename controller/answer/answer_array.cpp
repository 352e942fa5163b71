#include "controller/answer/answer_array.h"

// Answers about an array as a whole. Pure; nothing is changed.
#include <algorithm>

#include "common/base/check.h"
#include "common/base/text.h"
#include "common/job/job_ref.h"
#include "common/job/job_row.h"
#include "controller/answer/answer.h"

namespace cox {

std::vector<TaskGroup> standing_of_tasks(const Cluster& cluster, JobId array) {
  std::vector<TaskGroup> groups;
  for (const auto& [fate, count] : cluster.arrays().fates(array))
    groups.push_back({fate.state, fate.exit_code, fate.exit_signal, count, ""});
  return groups;
}

bool is_whole_array(const Cluster& cluster, const Job& job, std::int64_t task) {
  if (task >= 0 || task == row_itself || !is_first_of_array(job)) return false;
  const auto& fates = cluster.arrays().fates(job.id);
  return fates.size() > 1 || (fates.size() == 1 && fates.begin()->second > 1);
}

void tell_tasks(JobDetail& detail, std::vector<TaskGroup> tasks) {
  detail.tasks = std::move(tasks);
  for (const TaskGroup& group : detail.tasks) {
    if (!is_final(group.state)) detail.tasks_left += group.count;
    if (is_final(group.state) && group.state != JobState::Completed)
      detail.tasks_failed += group.count;
  }
}

JobDetail detail_of_array(const Cluster& cluster, const JobEntry& row, Now now, bool and_which) {
  JobDetail detail = detail_of(cluster, row, now);
  const JobId array = row.job.array_job;
  if (!and_which) {
    tell_tasks(detail, standing_of_tasks(cluster, array));
    return detail;
  }
  std::vector<ArrayRow> rows;
  for (const JobId id : cluster.arrays().rows(array))
    rows.push_back(array_row(cluster.job(id)->job));
  tell_tasks(detail, task_groups(rows));
  return detail;
}

JobId telling_row(const Cluster& cluster, JobId array) {
  const auto waits = [&](JobId id) { return cluster.job(id)->job.state == JobState::Pending; };
  const auto& rows = cluster.arrays().unfinished(array);
  const auto found = std::ranges::find_if(rows, waits);
  return found == rows.end() ? array : *found;
}

Failure check_one_row(const Job& row, const std::string& tasks) {
  if (tasks.empty()) return std::nullopt;
  const auto asked = parse_array_tasks(tasks);
  if (!asked) return asked.refusal();
  if (tasks_of(row) == *asked) return std::nullopt;
  const std::string array = std::to_string(row.array_job.value);
  const std::string named = format_job_ref(row.array_job, tasks);
  const std::string one = array + "_" + std::to_string(asked->first());
  return Refusal{
      cut_text(named, 200) + " is not one row of the queue, so its tasks may differ",
      "name one of them, like " + one +
          (is_told_whole(row) ? ", or a row as `cox queue " + array + "` shows it: " + told_id(row)
                              : "; its whole row is told of")};
}

std::int64_t task_with_log(const Cluster& cluster, JobId array) {
  for (const JobId id : cluster.arrays().rows(array)) {
    const JobEntry& row = *cluster.job(id);
    if (!row.attempts.empty() && row.attempts.back().went != Wall{}) return row.job.array_task;
  }
  return tasks_of(cluster.job(*cluster.arrays().rows(array).begin())->job).first();
}

Refusal never_was(const Cluster& cluster, JobId job, std::int64_t task) {
  const std::string id = std::to_string(job.value);
  const JobEntry* e = cluster.job(job);
  if (task >= 0 && e != nullptr && is_first_of_array(e->job))
    if (const auto there = parse_array(e->job.spec->array))
      return {"array " + id + " has no task " + std::to_string(task),
              "its tasks are " + cut_text(format_array_tasks(there->tasks), 200)};
  if (task >= 0 && e != nullptr)
    return {"job " + id + " is not a job array", "name it without tasks"};
  return {"there never was a job " + format_job_ref(job, task < 0 ? "" : std::to_string(task)),
          "see `cox queue` for those that wait or run"};
}

Refusal which_log(JobId array, const std::vector<TaskGroup>& tasks, std::int64_t like) {
  std::int64_t count = 0;
  for (const TaskGroup& group : tasks) count += group.count;
  const std::string id = std::to_string(array.value);
  return {"array " + id + " has " + std::to_string(count) +
              " tasks, and each writes for itself: " + task_counts_text(tasks),
          "name one, like `cox logs " + id + "_" + std::to_string(like) + "`; `cox show job " + id +
              "` lists them"};
}

namespace {

// As memory would have it.
JobEntry entry_of(const JobRead& read) {
  JobEntry entry;
  entry.job = read.jobs.front();
  entry.attempts = read.attempts;
  entry.checkpoints = read.checkpoints;
  return entry;
}

// The tasks of an array that is meant as a whole; empty: it is no array, or one row is meant.
std::vector<TaskGroup> tasks_meant(const JobRead& read, const JobMeant& meant) {
  if (meant.task >= 0 || meant.task == row_itself) return {};
  std::vector<TaskGroup> tasks = task_groups(read.rows);
  const bool whole = tasks.size() > 1 || (tasks.size() == 1 && tasks.front().count > 1);
  return whole ? tasks : std::vector<TaskGroup>{};
}

Failure check_meant(const JobEntry& entry, const JobMeant& meant) {
  return meant.task >= 0 ? check_one_row(entry.job, meant.tasks) : std::nullopt;
}

}  // namespace

decltype(Reply::body) answer_forgotten(const Cluster& cluster, const JobRead& read,
                                       const JobMeant& meant, Now now) {
  const JobEntry entry = entry_of(read);
  if (auto why = check_meant(entry, meant)) return Refused{*why};
  JobDetail detail = detail_of(cluster, entry, now);
  if (auto tasks = tasks_meant(read, meant); !tasks.empty()) tell_tasks(detail, std::move(tasks));
  return detail;
}

decltype(Reply::body) log_of_forgotten(const Cluster& cluster, const JobRead& read,
                                       const JobMeant& meant, const LocateLog& ask) {
  const JobEntry entry = entry_of(read);
  if (auto why = check_meant(entry, meant)) return Refused{*why};
  if (const auto tasks = tasks_meant(read, meant); !tasks.empty())
    return Refused{which_log(meant.job, tasks, tasks_of(entry.job).first())};
  return log_place(cluster, entry, ask);
}

}  // namespace cox
