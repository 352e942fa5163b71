#include "controller/answer/answer_array.h"

#include <algorithm>

#include "common/base/check.h"
#include "common/base/moment_text.h"
#include "common/base/text.h"
#include "common/job/job_ref.h"
#include "common/job/job_row.h"
#include "controller/answer/answer.h"

namespace cox {

std::vector<TaskGroup> standing_of_tasks(const Cluster& cluster, JobId array) {
  std::vector<TaskGroup> groups;
  for (const auto& [fate, count] : cluster.jobs().arrays().fates(array))
    groups.push_back({fate.state, fate.exit_code, fate.exit_signal, count, ""});
  return groups;
}

bool is_whole_array(const Cluster& cluster, const Job& job, std::int64_t task) {
  if (task >= 0 || task == row_itself || !is_first_of_array(job)) return false;
  const auto& fates = cluster.jobs().arrays().fates(job.id);
  return fates.size() > 1 || (fates.size() == 1 && fates.begin()->second > 1);
}

void add_tasks(JobDetail& detail, std::vector<TaskGroup> tasks) {
  detail.tasks = std::move(tasks);
  for (const TaskGroup& group : detail.tasks) {
    if (!is_final(group.state)) detail.tasks_left += group.count;
    if (is_final(group.state) && group.state != JobState::Completed)
      detail.tasks_failed += group.count;
  }
}

namespace {

// Sets the end of an array, whose tasks have all ended: that of the last one.
void set_end(JobDetail& detail, const std::vector<ArrayRow>& rows) {
  if (detail.tasks_left > 0) return;
  for (const ArrayRow& row : rows)
    detail.view.job.ended = std::max(detail.view.job.ended, row.ended);
}

}  // namespace

JobDetail detail_of_array(const Cluster& cluster, const JobEntry& row, Now now, bool and_which) {
  JobDetail detail = detail_of(cluster, row, now);
  const JobId array = row.job.array_job;
  const Arrays& arrays = cluster.jobs().arrays();
  std::vector<ArrayRow> rows;
  if (and_which || arrays.is_over(array))
    for (const JobId id : arrays.rows(array)) rows.push_back(array_row(cluster.job(id)->job));
  add_tasks(detail, and_which ? task_groups(rows) : standing_of_tasks(cluster, array));
  set_end(detail, rows);
  return detail;
}

JobId row_of_array(const Cluster& cluster, JobId array) {
  const auto waits = [&](JobId id) { return cluster.job(id)->job.state == JobState::Pending; };
  const auto& rows = cluster.jobs().arrays().unfinished(array);
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
  return Refusal{cut_text(named, 200) + " is not one row of the queue, so its tasks may differ",
                 "name one of them, like " + one +
                     (names_all_tasks(row)
                          ? ", or a row as `cox queue " + array + "` shows it: " + command_id(row)
                          : "; the reply is about its whole row")};
}

std::int64_t task_with_log(const Cluster& cluster, JobId array) {
  for (const JobId id : cluster.jobs().arrays().rows(array)) {
    const JobEntry& row = *cluster.job(id);
    if (!row.attempts.empty() && row.attempts.back().went != Wall{}) return row.job.array_task;
  }
  return tasks_of(cluster.job(*cluster.jobs().arrays().rows(array).begin())->job).first();
}

namespace {

// Returns the failover that may have lost the job; null: none.
const Failover* lost_by(const Cluster& cluster, JobId job) {
  if (cluster.job(job) != nullptr) return nullptr;
  const auto& all = cluster.failovers();
  const auto found = std::ranges::find_if(all, [&](const Failover& failover) {
    return job >= failover.first_lost_job && job < failover.first_new_job;
  });
  return found == all.end() ? nullptr : &*found;
}

Refusal lost_job(const Failover& failover, JobId job, const std::string& named) {
  const bool is_certain = std::ranges::find(failover.jobs_lost, job) != failover.jobs_lost.end();
  const auto bound = [](JobId id) { return std::to_string(id.value); };
  return {"there is no job " + named + ": it " + (is_certain ? "was" : "may have been") +
              " lost when the database returned to an earlier state, found at " +
              moment_text(failover.found),
          "if it was yours, submit it again. Jobs " + bound(failover.first_lost_job) + " to " +
              bound(JobId{failover.first_new_job.value - 1}) + " may be lost" +
              (failover.lost_from == Wall{}
                   ? ""
                   : ", and changes after " + moment_text(failover.lost_from)) +
              "; `cox checkpoints orphans` lists what lost jobs have saved"};
}

}  // namespace

bool is_not_stored(const Cluster& cluster, JobId job) {
  return job >= cluster.jobs().next_id() || lost_by(cluster, job) != nullptr;
}

Refusal never_was(const Cluster& cluster, JobId job, std::int64_t task) {
  const std::string id = std::to_string(job.value);
  const JobEntry* e = cluster.job(job);
  if (task >= 0 && e != nullptr && is_first_of_array(e->job))
    return {"array " + id + " has no task " + std::to_string(task),
            "its tasks are " + cut_text(format_array_tasks(e->job.spec->terms->array.tasks), 200)};
  if (task >= 0 && e != nullptr)
    return {"job " + id + " is not a job array", "name it without tasks"};
  const std::string named = format_job_ref(job, task < 0 ? "" : std::to_string(task));
  if (const Failover* failover = lost_by(cluster, job)) return lost_job(*failover, job, named);
  return {"there never was a job " + named, "see `cox queue` for those that wait or run"};
}

Refusal which_log(JobId array, const std::vector<TaskGroup>& tasks, std::int64_t like) {
  std::int64_t count = 0;
  for (const TaskGroup& group : tasks) count += group.count;
  const std::string id = std::to_string(array.value);
  return {"array " + id + " has " + std::to_string(count) +
              " tasks, and each has its own log: " + task_counts_text(tasks),
          "name one, like `cox logs " + id + "_" + std::to_string(like) + "`; `cox show job " + id +
              "` lists them"};
}

namespace {

// Returns an entry, like those in memory, of a job that was read from the store.
JobEntry entry_of(const JobRead& read) {
  JobEntry entry;
  entry.job = read.jobs.front();
  entry.attempts = read.attempts;
  entry.checkpoints = read.checkpoints;
  return entry;
}

// Returns the tasks of the array if the request means it as a whole; empty if the job is not an
// array, or if one row is meant.
std::vector<TaskGroup> selected_tasks(const JobRead& read, const JobSelector& selector) {
  if (selector.task >= 0 || selector.task == row_itself) return {};
  std::vector<TaskGroup> tasks = task_groups(read.rows);
  const bool whole = tasks.size() > 1 || (tasks.size() == 1 && tasks.front().count > 1);
  return whole ? tasks : std::vector<TaskGroup>{};
}

Failure check_selection(const JobEntry& entry, const JobSelector& selector) {
  return selector.task >= 0 ? check_one_row(entry.job, selector.tasks) : std::nullopt;
}

}  // namespace

decltype(Reply::body) answer_forgotten(const Cluster& cluster, const JobRead& read,
                                       const JobSelector& selector, Now now) {
  const JobEntry entry = entry_of(read);
  if (auto why = check_selection(entry, selector)) return Refused{*why};
  JobDetail detail = detail_of(cluster, entry, now);
  if (auto tasks = selected_tasks(read, selector); !tasks.empty()) {
    add_tasks(detail, std::move(tasks));
    set_end(detail, read.rows);
  }
  return detail;
}

decltype(Reply::body) log_of_forgotten(const Cluster& cluster, const JobRead& read,
                                       const JobSelector& selector, const LocateLog& ask) {
  const JobEntry entry = entry_of(read);
  if (auto why = check_selection(entry, selector)) return Refused{*why};
  if (const auto tasks = selected_tasks(read, selector); !tasks.empty())
    return Refused{which_log(selector.job, tasks, tasks_of(entry.job).first())};
  return log_place(cluster, entry, ask);
}

}  // namespace cox
